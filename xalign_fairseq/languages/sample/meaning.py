"""The meaning of a sentence, without a language: phrases and clauses whose parts are concepts.

Each part holds a key, one bit of the sentence, by which the tokens of two languages find each other
(:mod:`xalign_fairseq.languages.sample.meaning`).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Optional

from xalign_fairseq.languages.sample.lexicon import Entry

PRONOUNS = ("I", "he", "she", "we", "they")


@dataclass(slots=True, eq=False)
class Phrase:
    """A noun phrase.

    ``kind`` is noun, name, or the pronoun itself (I, he, she, we, they, nobody, it). ``determiner`` is one of definite,
    indefinite, bare, this, every, many, number, my, his, her, our, their, owner. ``owner`` is the possessor, and
    ``of`` says that English writes it with "of" and not with "'s".
    """

    kind: str
    entry: Entry | None = None
    plural: bool = False
    determiner: str = "definite"
    number: Entry | int = 0
    adjectives: list[tuple[Entry, int]] = field(default_factory=list)
    owner: Optional["Phrase"] = None
    of: bool = False
    relative: Optional["Clause"] = None
    head_key: int = 0
    modifier_key: int = 0
    determiner_key: int = 0
    owner_key: int = 0

    @property
    def noun(self) -> Entry:
        """The lexicon entry of a noun or a name."""
        assert self.entry is not None
        return self.entry

    @property
    def is_pronoun(self) -> bool:
        return self.kind in PRONOUNS

    @property
    def person(self) -> str:
        """1s, 3s, 1p or 3p."""
        if self.kind == "I":
            return "1s"
        if self.kind == "we":
            return "1p"
        return "3p" if self.plural or self.kind == "they" else "3s"


@dataclass(slots=True, eq=False)
class Location:
    """Where something happens, or, if ``direction``, where it goes. A city has no determiner."""

    phrase: Phrase
    direction: bool
    key: int


@dataclass(slots=True, eq=False)
class Adverbial:
    """An adverb or a fixed time phrase; ``key`` is the first of its concepts."""

    entry: Entry
    key: int
    year: int = 0
    number: int = 0


@dataclass(slots=True, eq=False)
class Clause:
    """A clause around a verb (``kind`` verb), a predicate adjective (copula) or an existence (existential).

    ``tense`` is present, progressive, past, past_progressive, perfect or future; ``modal`` is empty or can, must,
    want; ``negation`` is empty or not, never. ``gap`` says which part a relative pronoun stands for (subject or
    object; that field then holds the phrase outside). ``question`` is empty or yes-no, where, when, why.
    ``conditional`` marks an if-clause, where Russian uses the future.
    """

    kind: str
    subject: Phrase
    verb: Entry | None = None
    tense: str = "present"
    modal: str = ""
    negation: str = ""
    object: Phrase | None = None
    recipient: Phrase | None = None
    recipient_first: bool = False
    particle_last: bool = False
    place: Location | None = None
    time: Adverbial | None = None
    time_first: bool = False
    frequency: Adverbial | None = None
    manner: Adverbial | None = None
    adjective: Entry | None = None
    standard: Phrase | None = None
    gap: str = ""
    question: str = ""
    conditional: bool = False
    verb_key: int = 0
    particle_key: int = 0
    tense_key: int = 0
    negation_key: int = 0
    word_key: int = 0
    """The relative pronoun, the question word, "there" or "es"."""
    recipient_key: int = 0
    """The word that marks the recipient where one does: "to", "à"."""
    degree_key: int = 0
    standard_key: int = 0

    @property
    def action(self) -> Entry:
        """The verb's lexicon entry."""
        assert self.verb is not None
        return self.verb


@dataclass(slots=True, eq=False)
class Message:
    """One clause, or two joined.

    ``join`` is empty, subordinate, coordinate or that. With subordinate and ``second_first``, the second clause is
    in front.
    """

    first: Clause
    join: str = ""
    conjunction: Entry | None = None
    second: Clause | None = None
    second_first: bool = False
    mark_key: int = 0
    comma_key: int = 0
    conjunction_key: int = 0


Token = tuple[str, int]


def gold_links(src: list[Token], tgt: list[Token]) -> list[tuple[int, int]]:
    """The 0-based links ``(i, j)`` between tokens that share a concept, in order."""
    return [(i, j) for i, (_, a) in enumerate(src) for j, (_, b) in enumerate(tgt) if a & b]


def fixed_phrase(text: str, first: int) -> list[Token]:
    """Tokens of a table cell such as ``last/a week/b``: letter a is concept ``first``, b the next, and so on."""
    tokens = []
    for word in text.split():
        word, _, letters = word.partition("/")
        tokens.append((word, sum(first << (ord(letter) - ord("a")) for letter in letters)))
    return tokens


def time_phrase(clause: Clause, language: str) -> list[Token]:
    """A clause's time adverbial, if it has one; with its places YEAR and NUMBER filled in."""
    time = clause.time
    if time is None:
        return []
    text = time.entry[language].replace("YEAR", str(time.year)).replace("NUMBER", str(time.number))
    return fixed_phrase(text, time.key)


def finish(tokens: Iterable[Token]) -> list[Token]:
    """Merge commas in a row, drop a comma before the final mark, and write the first letter as a capital."""
    out: list[Token] = []
    for text, keys in tokens:
        if out and out[-1][0] == ",":
            if text == ",":
                out[-1] = (",", out[-1][1] | keys)
                continue
            if text in (".", "?"):
                out.pop()
        out.append((text, keys))
    text, keys = out[0]
    out[0] = (text[0].upper() + text[1:], keys)
    return out
