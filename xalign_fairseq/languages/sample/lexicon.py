"""The lexicon: tables of tab-separated values in ``tables/``, one row per sense, one column per language.

A row is a *sense*, not a word: English "bank" has a row for the house (German "Bank") and one for the riverside
(German "Ufer"). The surrounding words show which of them a sentence means, because verbs and adjectives ask for the
semantic classes in the ``classes`` column. :mod:`.realiser` describes how a cell gives the forms of a word.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

LANGUAGES = ("de", "fr", "ru")
"""The languages opposite English."""


@dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """One row of a table. ``cells`` maps column names to text; entries are compared and hashed by identity."""

    cells: dict[str, str]
    classes: tuple[str, ...] = ()

    def __getitem__(self, column: str) -> str:
        return self.cells[column]


@dataclass(frozen=True)
class SenseLexicon:
    """All tables."""

    nouns: tuple[Entry, ...]
    places: tuple[Entry, ...]
    adjectives: tuple[Entry, ...]
    verbs: tuple[Entry, ...]
    times: tuple[Entry, ...]
    adverbs: tuple[Entry, ...]
    names: tuple[Entry, ...]
    conjunctions: tuple[Entry, ...]
    numbers: tuple[Entry, ...]
    by_class: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    adjectives_of: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    by_kind: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    times_of: dict[str, tuple[Entry, ...]] = field(default_factory=dict)


def _table(name: str) -> tuple[Entry, ...]:
    text = (files(__package__) / "tables" / f"{name}.tsv").read_text(encoding="utf-8")
    header, *rows = (line.split("\t") for line in text.splitlines())
    entries = []
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        entries.append(Entry(cells, tuple(cells.get("classes", "").split())))
    return tuple(entries)


def _index(entries: tuple[Entry, ...], column: str) -> dict[str, tuple[Entry, ...]]:
    """The entries of each word in a column of words separated by spaces."""
    keys = dict.fromkeys(key for entry in entries for key in entry[column].split())
    return {key: tuple(entry for entry in entries if key in entry[column].split()) for key in keys}


@lru_cache(maxsize=1)
def load_lexicon() -> SenseLexicon:
    """Read the tables of the package, once per process."""
    names = ("nouns", "places", "adjectives", "verbs", "times", "adverbs", "names", "conjunctions", "numbers")
    tables = {name: _table(name) for name in names}
    by_kind = _index(tables["adverbs"] + tables["names"] + tables["conjunctions"], "kind")
    by_kind |= _index(tables["verbs"], "frame")
    return SenseLexicon(
        **tables,
        by_class=_index(tables["nouns"] + tables["places"], "classes"),
        adjectives_of=_index(tables["adjectives"], "classes"),
        by_kind=by_kind,
        times_of=_index(tables["times"], "tenses"),
    )
