"""French inflection: what the ``fr`` cells of the lexicon spell out, and the forms that follow by rule.

- noun: ``porte f``, ``œil m yeux`` (word, gender, plural if irregular); a compound is ``porte_d'+entrée f``.
- adjective: ``grand <`` (before the noun), ``blanc blanche`` (feminine if irregular), ``beau belle bel <`` (masculine
  before a vowel).
- verb: ``infinitive [1s 3s 1p 3p participle future-stem] [~preposition] [*]``; one word alone is a regular verb in
  -er; ``*`` takes "être".
"""

from dataclasses import dataclass

PERSONS = ("1s", "3s", "1p", "3p")
ASPIRATED = {"hache", "héro", "hibou", "hérisson", "huit", "onze"}
ELIDED = {"le": "l'", "la": "l'", "de": "d'", "que": "qu'", "ne": "n'", "je": "j'", "me": "m'"}
CONTRACTIONS = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}


def vowel_start(word: str) -> bool:
    """Whether a word makes the one before it drop its vowel (mute h included)."""
    return word[0].lower() in "aeiouyhàâéèêëîïôœû" and word.lower().rstrip("sx") not in ASPIRATED


def plural(word: str) -> str:
    """The plural of a noun or of a masculine adjective."""
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith(("eau", "eu")) and word != "bleu":
        return word + "x"
    return word[:-2] + "aux" if word.endswith("al") else word + "s"


@dataclass(frozen=True, slots=True)
class FrenchNoun:
    """A noun; ``link`` and ``modifier`` are the rest of a compound."""

    gender: str
    singular: str
    plural: str
    link: str
    modifier: str


def parse_noun(cell: str) -> FrenchNoun:
    """Forms of a noun cell."""
    compound, gender, *irregular = cell.split()
    word, _, rest = compound.partition("_")
    link, _, modifier = rest.partition("+")
    return FrenchNoun(gender, word, irregular[0] if irregular else plural(word), link, modifier)


@dataclass(frozen=True, slots=True)
class FrenchAdjective:
    """An adjective's forms and whether it stands before the noun."""

    masculine: str
    feminine: str
    before_vowel: str
    first: bool

    def form(self, gender: str, many: bool) -> str:
        if gender == "f":
            return self.feminine + ("s" if many else "")
        return plural(self.masculine) if many else self.masculine


def parse_adjective(cell: str) -> FrenchAdjective:
    """Forms of an adjective cell."""
    words = cell.split()
    first = words[-1] == "<"
    if first:
        words.pop()
    masculine = words[0]
    regular = masculine if masculine.endswith("e") else masculine + "e"
    feminine = words[1] if len(words) > 1 else regular
    return FrenchAdjective(masculine, feminine, words[2] if len(words) > 2 else masculine, first)


@dataclass(frozen=True, slots=True)
class FrenchVerb:
    """A verb's forms by person, its auxiliary and the preposition of its object."""

    infinitive: str
    present: dict[str, str]
    imperfect: dict[str, str]
    future: dict[str, str]
    participle: str
    etre: bool
    preposition: str

    def agreeing(self, gender: str, many: bool) -> str:
        """The participle with the endings of gender and number."""
        form = self.participle + ("e" if gender == "f" else "")
        return form + "s" if many and not form.endswith("s") else form


def _with_endings(stem: str, endings: str) -> dict[str, str]:
    return {person: stem + end for person, end in zip(PERSONS, endings.split(), strict=True)}


def parse_verb(cell: str) -> FrenchVerb:
    """Forms of a verb cell."""
    words = cell.split()
    etre, preposition = False, ""
    while words[-1][0] in "*~":
        word = words.pop()
        etre = etre or word == "*"
        preposition = word[1:] or preposition
    infinitive = words[0]
    if len(words) > 1:
        present = dict(zip(PERSONS, words[1:5], strict=True))
        participle, future = words[5:]
    else:
        stem = infinitive[:-2]
        soft = {"g": stem + "e", "c": stem[:-1] + "ç"}.get(stem[-1], stem)
        present = {"1s": stem + "e", "3s": stem + "e", "1p": soft + "ons", "3p": stem + "ent"}
        participle, future = stem + "é", infinitive
    stem = present["1p"][:-3]
    imperfect = _with_endings(stem, "ais ait ions aient")
    if infinitive.endswith(("ger", "cer")):
        imperfect["1p"] = infinitive[:-2] + "ions"
    return FrenchVerb(
        infinitive=infinitive,
        present=present,
        imperfect=imperfect,
        future=_with_endings(future, "ai a ons ont"),
        participle=participle,
        etre=etre,
        preposition=preposition,
    )


AVOIR = dict(zip(PERSONS, ["ai", "a", "avons", "ont"], strict=True))
ETRE = {
    "present": dict(zip(PERSONS, ["suis", "est", "sommes", "sont"], strict=True)),
    "past": dict(zip(PERSONS, ["étais", "était", "étions", "étaient"], strict=True)),
    "future": dict(zip(PERSONS, ["serai", "sera", "serons", "seront"], strict=True)),
}
MODALS = {
    "can": dict(zip(PERSONS, ["peux", "peut", "pouvons", "peuvent"], strict=True)),
    "must": dict(zip(PERSONS, ["dois", "doit", "devons", "doivent"], strict=True)),
    "want": dict(zip(PERSONS, ["veux", "veut", "voulons", "veulent"], strict=True)),
}
