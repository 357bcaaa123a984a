"""Meanings of sentences, independent of language, and how to draw them; a word's class selects a homonym's sense."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from xalign_fairseq.languages.sample.words import Entry, Token, fixed_phrase, rows, table

T = TypeVar("T")
PRONOUNS = ("I", "he", "she", "we", "they")
DETERMINERS = (*("definite",) * 4, *("indefinite",) * 3, "this", "my", "his", "her", "our", "their")
TENSES = ("present", "present", "past", "past", "past", "perfect", "future")
FRAMES = (*("object",) * 7, *("place",) * 2, "destination")
ROUND_NUMBERS = (15, 20, 25, 30, 40, 50, 60, 80, 100)


@dataclass(slots=True, eq=False)
class Phrase:
    """A noun phrase; it has four concepts. ``kind`` is noun, name, or the pronoun itself."""

    kind: str
    key: int
    entry: Entry
    plural: bool = False
    determiner: str = ""
    number: Entry | int = 0
    adjective: Entry | None = None

    head: int = field(init=False)
    modifier: int = field(init=False)  # a compound's first part
    article: int = field(init=False)
    quality: int = field(init=False)  # the adjective

    def __post_init__(self) -> None:
        self.head, self.modifier, self.article, self.quality = (self.key << i for i in range(4))

    @property
    def person(self) -> str:
        """1s, 3s, 1p or 3p."""
        first = {"I": "1s", "we": "1p"}.get(self.kind)
        return first or ("3p" if self.plural or self.kind == "they" else "3s")

    def numeral(self, language: str) -> Token:
        """A number before the noun."""
        return (str(self.number) if isinstance(self.number, int) else self.number[language]), self.article


@dataclass(slots=True, eq=False)
class Clause:
    """A clause around a verb; it has five concepts. ``tense`` is present, past, perfect or future."""

    key: int
    subject: Phrase
    verb: Entry
    tense: str
    negated: bool = False
    question: bool = False
    object: Phrase | None = None
    place: Phrase | None = None
    goes: bool = False
    """Whether the place is the subject's destination."""
    when: dict[str, list[Token]] | None = None
    time_first: bool = False

    action: int = field(init=False)
    particle: int = field(init=False)  # a particle, or the preposition of the object
    time: int = field(init=False)  # the tense
    no: int = field(init=False)
    where: int = field(init=False)  # the place's preposition

    def __post_init__(self) -> None:
        self.action, self.particle, self.time, self.no, self.where = (self.key << i for i in range(5))

    def times(self, language: str) -> tuple[list[Token], list[Token]]:
        """The time expression before the clause, and the one after it; one of them is empty."""
        spoken = self.when[language] if self.when else []
        return (spoken, []) if self.time_first else ([], spoken)


@dataclass(slots=True, eq=False)
class Message:
    """One clause, or two joined by a conjunction: coordinate, subordinate or clause ("that")."""

    first: Clause
    key: int
    conjunction: Entry | None = None
    second: Clause | None = None

    @property
    def mark(self) -> Token:
        return ("?" if self.first.question else "."), self.key

    def joint(self, language: str) -> list[Token]:
        """The conjunction, after a comma if it is "but", and in German unless it is "and"."""
        assert self.conjunction is not None
        words = fixed_phrase(self.conjunction[language], self.key << 2)
        comma = words[0][0] in ("but", "mais") or (language == "de" and words[0][0] != "und")
        return [(",", self.key << 1), *words] if comma else words


class Sampler:
    """Draws sentences from a random stream."""

    def __init__(self, stream: random.Random):
        self._random = stream.random
        self._next = 0

    def _pick(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]

    def _chance(self, p: float) -> bool:
        return self._random() < p

    def _key(self, count: int) -> int:
        """The first of ``count`` new concepts."""
        self._next += count
        return 1 << (self._next - count)

    def sentence(self) -> Message:
        self._next, roll = 0, self._random()
        if roll > 0.4:
            return Message(self._clause(asks=self._chance(0.2)), self._key(1))
        kind = "clause" if roll < 0.12 else "subordinate" if roll < 0.28 else "coordinate"
        first = self._clause("clause" if kind == "clause" else "")
        tense = first.tense if kind == "subordinate" else ""
        return Message(first, self._key(5), self._pick(rows("kind", kind, "conjunctions")), self._clause(tense=tense))

    def _clause(self, frame: str = "", tense: str = "", asks: bool = False) -> Clause:
        frame = frame or self._pick(FRAMES)
        verb = self._pick(rows("frame", frame, "verbs"))
        tense = tense or self._pick(("present", "past") if frame == "clause" else TENSES)
        clause = Clause(self._key(5), self._subject(self._pick(verb["subject"].split())), verb, tense, question=asks)
        if frame == "clause":
            return clause
        clause.negated = not asks and self._chance(0.2)
        if frame == "object":
            group = self._pick(verb["object"].split())
            clause.object = self._noun(self._pick(rows("classes", group, "nouns", "places")))
        clause.goes = frame == "destination"
        if frame != "object" or self._chance(0.4):
            clause.place = self._place()
        times = [entry for entry in table("times") if tense in entry["tenses"].split()]
        if times and self._chance(0.4):
            year, number = str(1900 + int(self._random() * 121)), str(self._pick(ROUND_NUMBERS))
            entry, key = self._pick(times), self._key(3)
            filled = {each: text.replace("YEAR", year).replace("NUMBER", number) for each, text in entry.items()}
            clause.when = {language: fixed_phrase(text, key) for language, text in filled.items()}
            clause.time_first = not asks and self._chance(0.4)
        return clause

    def _subject(self, group: str) -> Phrase:
        roll = self._random() if group == "person" else 1.0
        if roll < 0.2:
            people = rows("kind", "woman", "names") + rows("kind", "man", "names")
            return Phrase("name", self._key(4), self._pick(people))
        if roll < 0.45:
            return Phrase(self._pick(PRONOUNS), self._key(4), Entry("", ()))
        return self._noun(self._pick(rows("classes", group, "nouns", "places")), counted=self._chance(0.1))

    def _place(self) -> Phrase:
        if self._chance(0.2):
            return Phrase("name", self._key(4), self._pick(rows("kind", "city", "names")))
        return self._noun(self._pick(table("places")))

    def _noun(self, noun: Entry, counted: bool = False) -> Phrase:
        phrase = Phrase("noun", self._key(4), noun, determiner=self._pick(DETERMINERS))
        mass = " " not in noun["en"]  # has no plural
        if mass:
            phrase.determiner = phrase.determiner.replace("indefinite", "definite")
            counted = False
        if counted:
            phrase.determiner = "number"
            phrase.number = self._pick(table("numbers")) if self._chance(0.75) else self._pick(ROUND_NUMBERS)
        phrase.plural = counted or (not mass and self._chance(0.25))
        adjectives = rows("classes", noun["classes"].split()[0], "adjectives")
        if adjectives and self._chance(0.4):
            phrase.adjective = self._pick(adjectives)
        return phrase
