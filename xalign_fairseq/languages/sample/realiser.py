"""Shared by the languages of the sample: inflected words, and the frame of a sentence.

A cell of the lexicon gives every form of a word in the order of :data:`FORMS`, then marks ``name=value``: gender, the
case or preposition of a verb's object, its particle or auxiliary, the modifier of a compound. A mass noun or a name
ends after its singular. An English adjective is ``base/comparative``; a Russian one ``base/comparative``, from which
the endings follow by rule.
"""

from dataclasses import dataclass

from xalign_fairseq.languages.sample.lexicon import load_lexicon
from xalign_fairseq.languages.sample.meaning import Clause, Message, Phrase, Token, finish, fixed_phrase

PERSONS = ("1s", "3s", "1p", "3p")


def _numbers(*cases: str) -> list[str]:
    return [number + case for number in ("s", "p") for case in cases]


def _persons(*tenses: str) -> list[str]:
    return [f"{tense}.{person}" for tense in tenses for person in PERSONS]


NOUNS = {
    "en": _numbers(""),
    "de": _numbers(".nom", ".acc", ".dat", ".gen"),
    "fr": _numbers(""),
    "ru": _numbers(".nom", ".gen", ".dat", ".acc", ".ins", ".loc"),
}
ADJECTIVES = {"de": ["base", "stem", "comparative"], "fr": ["sm", "sf", "pm", "pf", "before-vowel"]}
VERBS = {
    "en": ["base", "third", "past", "participle", "ing"],
    "de": ["infinitive", *_persons("present", "past"), "participle"],
    "fr": ["infinitive", *_persons("present", "imperfect", "future"), "sm", "sf", "pm", "pf"],
    "ru": ["infinitive", *_persons("present"), "past.m", "past.f", "past.n", "past.p"],
}


@dataclass(frozen=True, slots=True)
class Word:
    """The forms of a word and its marks, both by name."""

    forms: dict[str, str]
    marks: dict[str, str]

    def __getitem__(self, form: str) -> str:
        return self.forms[form]

    def mark(self, name: str, default: str = "") -> str:
        return self.marks.get(name, default)


def parse(cell: str, names: list[str]) -> Word:
    """The word of a cell whose forms have these names."""
    words = cell.split()
    forms = (word for word in words if "=" not in word)
    marks = (word.split("=") for word in words if "=" in word)
    return Word(dict(zip(names, forms, strict=False)), {name: value for name, value in marks})


def by_person(forms: str) -> dict[str, str]:
    """The forms of an auxiliary for I, he, we, they."""
    return dict(zip(PERSONS, forms.split(), strict=True))


def merged(tokens: list[Token], contractions: dict[tuple[str, str], str]) -> list[Token]:
    """The tokens with neighbours such as "zu dem" as one ("zum")."""
    out: list[Token] = []
    for text, keys in tokens:
        one = contractions.get((out[-1][0], text)) if out else None
        if one:
            out[-1] = (one, out[-1][1] | keys)
        else:
            out.append((text, keys))
    return out


class Realiser:
    """Says a :class:`Message` in one language."""

    language: str
    that: str
    comma_before: tuple[str, ...]
    """The conjunctions, by their first word, that have a comma before them."""

    def __init__(self) -> None:
        lexicon, language = load_lexicon(), self.language
        nouns, verbs = lexicon.nouns + lexicon.places, VERBS[language]
        self.nouns = {entry: parse(entry[language], NOUNS[language]) for entry in nouns}
        self.verbs = {entry: parse(entry[language], verbs) for entry in lexicon.verbs if language in entry.cells}
        adjectives = lexicon.adjectives if language in ADJECTIVES else ()
        self.adjectives = {entry: parse(entry[language], ADJECTIVES[language]) for entry in adjectives}

    def say(self, sentence: Message) -> list[Token]:
        """The tokens of a sentence."""
        mark = "?" if sentence.first.question else "."
        return finish(self._smooth([*self._clauses(sentence), (mark, sentence.mark_key)]))

    def _clauses(self, sentence: Message) -> list[Token]:
        first = self._clause(sentence.first)
        if sentence.second is None:
            return first
        second, joint, comma = self._clause(sentence.second), self._joint(sentence), (",", sentence.comma_key)
        if sentence.second_first:
            return [*joint, *second, comma, *first]
        return [*first, *([comma] if joint[0][0] in self.comma_before else []), *joint, *second]

    def _joint(self, sentence: Message) -> list[Token]:
        if sentence.conjunction is None:
            return [(self.that, sentence.conjunction_key)]
        return fixed_phrase(sentence.conjunction[self.language], sentence.conjunction_key)

    def _clause(self, clause: Clause) -> list[Token]:
        raise NotImplementedError

    def _smooth(self, tokens: list[Token]) -> list[Token]:
        """The tokens with their neighbours taken into account (a, an)."""
        raise NotImplementedError

    def _number(self, phrase: Phrase) -> Token:
        number = phrase.number
        return str(number) if isinstance(number, int) else number[self.language], phrase.determiner_key

    def _adverbs(self, clause: Clause) -> list[Token]:
        return [(a.entry[self.language], a.key) for a in (clause.frequency, clause.manner) if a]
