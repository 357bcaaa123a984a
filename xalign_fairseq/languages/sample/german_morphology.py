"""German inflection: what the ``de`` cells of the lexicon spell out, and the endings that follow by rule.

- noun: ``Tür f Türen [genitive]`` (word, gender, plural; ``-`` for none). ``mw`` is a weak masculine (den Studenten).
- adjective: ``groß/größer``, ``dunkel/dunkler=dunkl`` (comparative if irregular, stem before endings if it differs).
- verb: ``[particle|]infinitive [third past participle] [1sg=form] [+dat] [~preposition:case] [*]``; one word alone is
  a regular verb; ``*`` takes "sein".
"""

from dataclasses import dataclass

CASES = ("nom", "acc", "dat", "gen")
DEFINITE = {
    "nom": {"m": "der", "f": "die", "n": "das", "p": "die"},
    "acc": {"m": "den", "f": "die", "n": "das", "p": "die"},
    "dat": {"m": "dem", "f": "der", "n": "dem", "p": "den"},
    "gen": {"m": "des", "f": "der", "n": "des", "p": "der"},
}
STRONG = {
    "nom": {"m": "er", "f": "e", "n": "es", "p": "e"},
    "acc": {"m": "en", "f": "e", "n": "es", "p": "e"},
    "dat": {"m": "em", "f": "er", "n": "em", "p": "en"},
    "gen": {"m": "en", "f": "er", "n": "en", "p": "er"},
}
CONTRACTIONS = {
    ("in", "dem"): "im",
    ("an", "dem"): "am",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("von", "dem"): "vom",
}
VOWELS = "aeiouyäöü"


def determiner_ending(case: str, gender: str) -> str:
    """The ending of dieser and jeder: the strong one, except -es in the genitive of masculine and neuter."""
    return "es" if case == "gen" and gender in "mn" else STRONG[case][gender]


def indefinite_ending(case: str, gender: str) -> str:
    """The ending of ein, kein and mein, which have none in three places."""
    if (case == "nom" and gender in "mn") or (case == "acc" and gender == "n"):
        return ""
    return determiner_ending(case, gender)


def adjective_ending(case: str, gender: str, after: str) -> str:
    """The ending of an adjective after der (``weak``), ein (``mixed``) or nothing (``strong``)."""
    if after == "mixed" and not indefinite_ending(case, gender):
        after = "strong"
    if after == "strong":
        return STRONG[case][gender]
    if gender == "p" or case in ("dat", "gen") or (case == "acc" and gender == "m"):
        return "en"
    return "e"


@dataclass(frozen=True, slots=True)
class GermanNoun:
    """A noun's gender and its forms, by case."""

    gender: str
    singular: dict[str, str]
    plural: dict[str, str]


def genitive(word: str) -> str:
    """The genitive of a strong masculine or neuter noun: -es after a sibilant or one closed syllable, else -s."""
    if word.endswith("nis"):
        return word + "ses"
    lower = word.lower()
    syllables = sum(1 for i, c in enumerate(lower) if c in VOWELS and (i == 0 or lower[i - 1] not in VOWELS))
    long = lower.endswith(("s", "ß", "z", "x")) or (syllables == 1 and lower[-1] not in VOWELS)
    return word + ("es" if long else "s")


def parse_noun(cell: str) -> GermanNoun:
    """Forms of a noun cell."""
    word, gender, many, *rest = cell.split()
    weak = gender.endswith("w")
    gender = gender[0]
    oblique = many if weak else word
    singular = {"nom": word, "acc": oblique, "dat": oblique, "gen": oblique}
    if gender != "f" and not weak:
        singular["gen"] = rest[0] if rest else genitive(word)
    plural = dict.fromkeys(CASES, many)
    plural["dat"] = many if many.endswith(("n", "s")) else many + "n"
    return GermanNoun(gender, singular, plural)


@dataclass(frozen=True, slots=True)
class GermanAdjective:
    """An adjective: uninflected form, stem before endings, comparative."""

    base: str
    stem: str
    comparative: str


def parse_adjective(cell: str) -> GermanAdjective:
    """Forms of an adjective cell."""
    forms, _, stem = cell.partition("=")
    base, _, comparative = forms.partition("/")
    return GermanAdjective(base, stem or base, comparative or base + "er")


@dataclass(frozen=True, slots=True)
class GermanVerb:
    """A verb's forms by person (1s, 3s, 1p, 3p), its particle, its auxiliary and what its object needs."""

    particle: str
    infinitive: str
    present: dict[str, str]
    past: dict[str, str]
    participle: str
    sein: bool
    case: str
    preposition: str


def parse_verb(cell: str) -> GermanVerb:
    """Forms of a verb cell."""
    words = cell.split()
    sein, case, preposition, first = False, "acc", "", ""
    while len(words) > 1 and (words[-1][0] in "*+~" or "=" in words[-1]):
        word = words.pop()
        if word == "*":
            sein = True
        elif word[0] == "+":
            case = word[1:]
        elif word[0] == "~":
            preposition, case = word[1:].split(":")
        else:
            first = word.partition("=")[2]
    particle, _, infinitive = words[0].rpartition("|")
    stem = infinitive[:-2] if infinitive.endswith("en") else infinitive[:-1]
    if len(words) > 1:
        third, past, participle = words[1:]
    else:
        third, past = stem + "t", stem + "te"
        participle = stem + "t" if infinitive.endswith("ieren") else f"ge{stem}t"
    if not first:
        first = stem[:-2] + "le" if infinitive.endswith("eln") else stem + "e"
    many = past + ("n" if past.endswith("e") else "en")
    return GermanVerb(
        particle=particle,
        infinitive=infinitive,
        present={"1s": first, "3s": third, "1p": infinitive, "3p": infinitive},
        past={"1s": past, "3s": past, "1p": many, "3p": many},
        participle=participle,
        sein=sein,
        case=case,
        preposition=preposition,
    )


def _auxiliary(forms: str) -> dict[str, str]:
    return dict(zip(("1s", "3s", "1p", "3p"), forms.split(), strict=True))


AUXILIARIES = {
    "haben": _auxiliary("habe hat haben haben"),
    "sein": _auxiliary("bin ist sind sind"),
    "war": _auxiliary("war war waren waren"),
    "werden": _auxiliary("werde wird werden werden"),
    "can": _auxiliary("kann kann können können"),
    "must": _auxiliary("muss muss müssen müssen"),
    "want": _auxiliary("will will wollen wollen"),
}
