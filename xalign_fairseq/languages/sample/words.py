"""Shared by the languages of the sample: the lexicon with the forms of its words, and tokens.

A row of ``tables/*.tsv`` is a *sense*: English "bank" has one for the house (German "Bank") and one for the riverside
("Ufer"). A cell has a word's forms, in the order of :data:`FORMS`, and marks ``name=value``: gender, the modifier of a
compound, the case or preposition of a verb's object, its particle or auxiliary.
"""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

LANGUAGES = ("de", "fr")
"""The languages paired with English."""
PERSONS = ("1s", "3s", "1p", "3p")
# A word of a sentence, with its concepts as bits: tokens of two languages that share a concept are linked.
Token = tuple[str, int]


def _numbers(*cases: str) -> list[str]:
    return [number + case for number in ("s", "p") for case in cases]


def _persons(*tenses: str) -> list[str]:
    return [f"{tense}.{person}" for tense in tenses for person in PERSONS]


FORMS = {
    "nouns": {"en": _numbers(""), "de": _numbers(".nom", ".acc", ".dat", ".gen"), "fr": _numbers("")},
    "adjectives": {"de": ["base", "stem", "comparative"], "fr": ["sm", "sf", "pm", "pf", "before-vowel"]},
    "verbs": {
        "en": ["base", "third", "past", "participle", "ing"],
        "de": ["infinitive", *_persons("present", "past"), "participle"],
        "fr": ["infinitive", *_persons("present", "imperfect", "future"), "sm", "sf", "pm", "pf"],
    },
}
FORMS["places"] = FORMS["nouns"]


class Entry(dict[str, str]):
    """A row of a table, by its columns; two rows are never the same."""

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__

    def __init__(self, table: str, cells: Iterable[tuple[str, str]]):
        super().__init__(cells)
        self.table = table


@cache
def word(entry: Entry, column: str) -> dict[str, str]:
    """The forms and marks in a cell, by their names."""
    cells = entry[column].split()
    marks = dict(cell.split("=") for cell in cells if "=" in cell)
    return {**dict(zip(FORMS[entry.table][column], (cell for cell in cells if "=" not in cell), strict=False)), **marks}


@cache
def table(name: str) -> tuple[Entry, ...]:
    text = (files(__package__) / "tables" / f"{name}.tsv").read_text(encoding="utf-8")
    header, *rows = (line.split("\t") for line in text.splitlines())
    return tuple(Entry(name, zip(header, row, strict=True)) for row in rows)


@cache
def rows(column: str, value: str, *tables: str) -> tuple[Entry, ...]:
    """The rows whose column has this word."""
    return tuple(entry for name in tables for entry in table(name) if value in entry[column].split())


def by_person(forms: str) -> dict[str, str]:
    """The forms of an auxiliary for I, he, we, they."""
    return dict(zip(PERSONS, forms.split(), strict=True))


def fixed_phrase(text: str, key: int) -> list[Token]:
    """Tokens of a cell such as ``last/a week/b``: letter a is concept ``key``, b the next, and so on."""
    tokens = []
    for each in text.split():
        text, _, letters = each.partition("/")
        tokens.append((text, sum(key << (ord(letter) - ord("a")) for letter in letters)))
    return tokens


def merged(tokens: list[Token], contractions: dict[tuple[str, str], str]) -> list[Token]:
    """The tokens, with neighbours such as "zu dem" merged into one ("zum")."""
    out: list[Token] = []
    for text, keys in tokens:
        one = contractions.get((out[-1][0], text)) if out else None
        out[-1:] = [(one, out[-1][1] | keys)] if one else [*out[-1:], (text, keys)]
    return out


def gold_links(src: list[Token], tgt: list[Token]) -> list[tuple[int, int]]:
    """The 0-based links ``(i, j)`` between tokens that share a concept, in order."""
    return [(i, j) for i, (_, a) in enumerate(src) for j, (_, b) in enumerate(tgt) if a & b]
