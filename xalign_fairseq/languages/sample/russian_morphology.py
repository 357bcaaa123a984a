"""Russian inflection: what the ``ru`` cells of the lexicon spell out, and the endings that follow by rule.

- noun: ``[adjective+]nominative [m|f|n] [a] [o] [ё] [indecl] [stem=] [np=] [gp=] [loc=] [ins=] [pl=five forms]``.
  ``a`` is animate; ``o`` and ``ё`` give a stressed instrumental (-ом/-ой after a sibilant or ц, -ём/-ёй after a soft
  stem); ``stem`` is the stem before endings, ``np`` and ``gp`` the nominative and genitive plural.
- adjective: ``большой/больше`` (comparative if there is one).
- verb: ``infinitive [1s 3s 3p] [1pl=] [past=masculine,feminine] [+case | ~preposition:case] [=subject]``;
  ``=дождь`` is a verb that needs that noun as its subject (идёт дождь: it is raining).
"""

from dataclasses import dataclass

CASES = ("nom", "gen", "dat", "acc", "ins", "loc")
SIBILANTS = "жшчщ"
VELARS = "кгх"


@dataclass(frozen=True, slots=True)
class RussianNoun:
    """A noun's gender, animacy and forms by case; ``modifier`` is the adjective of a compound."""

    gender: str
    animate: bool
    singular: dict[str, str]
    plural: dict[str, str]
    modifier: str


def _i(stem: str) -> str:
    """The letter ы, or и after a velar or a sibilant."""
    return "и" if stem[-1] in SIBILANTS + VELARS else "ы"


def _singular(word: str, stem: str, gender: str, flags: set[str]) -> dict[str, str]:
    last, after_sibilant = word[-1], stem[-1] in SIBILANTS + "ц"
    soft_e = "ё" if "ё" in flags else "е"
    if last == "а":
        o = "е" if after_sibilant and "o" not in flags else "о"
        return {"gen": stem + _i(stem), "dat": stem + "е", "acc": stem + "у", "ins": f"{stem}{o}й", "loc": stem + "е"}
    if last == "я":
        i = "и" if stem.endswith("и") else "е"
        ins = f"{stem}{soft_e}й"
        return {"gen": stem + "и", "dat": stem + i, "acc": stem + "ю", "ins": ins, "loc": stem + i}
    if gender == "f":
        return {"gen": stem + "и", "dat": stem + "и", "acc": word, "ins": stem + "ью", "loc": stem + "и"}
    if last in "ьй" or (last == "е" and not after_sibilant):
        i = "и" if stem.endswith("и") else "е"
        return {"gen": stem + "я", "dat": stem + "ю", "ins": f"{stem}{soft_e}м", "loc": stem + i}
    o = "е" if after_sibilant and "o" not in flags else "о"
    return {"gen": stem + "а", "dat": stem + "у", "ins": f"{stem}{o}м", "loc": stem + "е"}


def _plural(word: str, stem: str, gender: str, flags: set[str], options: dict[str, str]) -> dict[str, str]:
    if "pl" in options:
        nom, gen, dat, ins, loc = options["pl"].split(",")
        return {"nom": nom, "gen": gen, "dat": dat, "ins": ins, "loc": loc}
    last = word[-1]
    soft = last in "ьйя" or (last == "е" and stem[-1] not in SIBILANTS + "ц")
    neuter = last in "ое"
    nom = stem + (("я" if soft else "а") if neuter else "и" if soft else _i(stem))
    nom = options.get("np", nom)
    if (stem[-1] in SIBILANTS and not neuter and last != "а") or last == "ь":
        gen = stem + "ей"
    elif last == "й":
        gen = stem + "ев"
    elif last == "я" or (last == "е" and soft):
        gen = stem + ("й" if stem.endswith("и") else "ь")
    elif last in "аое":
        gen = stem
    else:
        gen = stem + ("ев" if stem[-1] == "ц" and "o" not in flags else "ов")
    gen = options.get("gp", gen)
    base = nom[:-1]
    a = "я" if soft and base[-1] not in SIBILANTS else "а"
    return {"nom": nom, "gen": gen, "dat": f"{base}{a}м", "ins": f"{base}{a}ми", "loc": f"{base}{a}х"}


def parse_noun(cell: str) -> RussianNoun:
    """Forms of a noun cell."""
    first, *rest = cell.split()
    modifier, _, word = first.rpartition("+")
    options = dict(item.split("=") for item in rest if "=" in item)
    flags = {item for item in rest if "=" not in item}
    gender = next((g for g in "mfn" if g in flags), "")
    if not gender:
        gender = "f" if word[-1] in "ая" else "n" if word[-1] in "ое" else "m"
    animate = "a" in flags
    if "indecl" in flags:
        forms = dict.fromkeys(CASES, word)
        return RussianNoun(gender, animate, forms, forms, modifier)
    stem = options.get("stem", word[:-1] if word[-1] in "аяоеьй" else word)
    singular = {"nom": word, **_singular(word, stem, gender, flags)}
    if "acc" not in singular:
        singular["acc"] = singular["gen"] if animate and gender == "m" else word
    singular["loc"] = options.get("loc", singular["loc"])
    singular["ins"] = options.get("ins", singular["ins"])
    plural = _plural(word, stem, gender, flags, options)
    plural["acc"] = plural["gen" if animate else "nom"]
    return RussianNoun(gender, animate, singular, plural, modifier)


_HARD = {
    "m": ["ый", "ого", "ому", "-", "ым", "ом"],
    "f": ["ая", "ой", "ой", "ую", "ой", "ой"],
    "n": ["ое", "ого", "ому", "ое", "ым", "ом"],
    "p": ["ые", "ых", "ым", "-", "ыми", "ых"],
}
_SOFT = {
    "m": ["ий", "его", "ему", "-", "им", "ем"],
    "f": ["яя", "ей", "ей", "юю", "ей", "ей"],
    "n": ["ее", "его", "ему", "ее", "им", "ем"],
    "p": ["ие", "их", "им", "-", "ими", "их"],
}


@dataclass(frozen=True, slots=True)
class RussianAdjective:
    """An adjective's forms: ``forms[gender or p][case]``; ``-`` in the accusative follows animacy."""

    forms: dict[str, dict[str, str]]
    comparative: str

    def form(self, gender: str, case: str, animate: bool) -> str:
        if case == "acc" and gender in "mp":
            case = "gen" if animate else "nom"
        return self.forms[gender][case]


def parse_adjective(cell: str) -> RussianAdjective:
    """Forms of an adjective cell."""
    word, _, comparative = cell.partition("/")
    stem, ending = word[:-2], word[-2:]
    forms: dict[str, dict[str, str]] = {}
    for gender in "mfnp":
        if ending == "ий" and stem.endswith("н"):
            endings = _SOFT[gender]
        else:
            endings = _HARD[gender]
            if stem[-1] in VELARS + SIBILANTS:
                endings = [e.replace("ы", "и") for e in endings]
            if stem[-1] in SIBILANTS and ending == "ий":
                endings = ["е" + e[1:] if e[0] == "о" else e for e in endings]
        forms[gender] = {case: stem + e for case, e in zip(CASES, endings, strict=True)}
    forms["m"]["nom"] = word
    return RussianAdjective(forms, comparative)


@dataclass(frozen=True, slots=True)
class RussianVerb:
    """One aspect of a verb: present (or perfective future) by person, past by gender, and what its object needs."""

    infinitive: str
    present: dict[str, str]
    past: dict[str, str]
    case: str
    preposition: str
    subject: str


def parse_verb(cell: str) -> RussianVerb:
    """Forms of a verb cell."""
    words = cell.split()
    case, preposition, subject = "acc", "", ""
    options: dict[str, str] = {}
    forms = []
    for word in words:
        if word[0] == "+":
            case = word[1:]
        elif word[0] == "~":
            preposition, case = word[1:].split(":")
        elif word[0] == "=":
            subject = word[1:]
        elif "=" in word:
            key, _, value = word.partition("=")
            options[key] = value
        else:
            forms.append(word)
    infinitive = forms[0]
    reflexive = infinitive.endswith("ся")
    plain = [f[:-2] if reflexive else f for f in forms]
    if len(plain) == 1:
        plain += _regular_present(plain[0])
    base, first, third, many = plain
    masculine, feminine = options.get("past", f"{base[:-2]}л,{base[:-2]}ла").split(",")
    present = {"1s": first, "3s": third, "1p": options.get("1pl", third[:-1] + "м"), "3p": many}
    past = {"m": masculine, "f": feminine, "n": feminine[:-1] + "о", "p": feminine[:-1] + "и"}
    if reflexive:
        present = {p: _reflexive(f) for p, f in present.items()}
        past = {g: _reflexive(f) for g, f in past.items()}
    return RussianVerb(infinitive, present, past, case, preposition, subject)


def _regular_present(infinitive: str) -> list[str]:
    """First person, third person and third person plural of a verb in -ать, -ять (first conjugation) or -ить."""
    stem = infinitive[:-2]
    if not stem.endswith("и"):
        return [stem + "ю", stem + "ет", stem + "ют"]
    stem = stem[:-1]
    if stem[-1] in SIBILANTS:
        return [stem + "у", stem + "ит", stem + "ат"]
    return [stem + "ю", stem + "ит", stem + "ят"]


def _reflexive(form: str) -> str:
    return form + ("сь" if form[-1] in "аеёиоуыэюя" else "ся")


NUMERALS = {2: "два", 3: "три", 4: "четыре"}
ANIMATE_NUMERALS = {2: "двух", 3: "трёх", 4: "четырёх"}
THIS = {
    "m": dict(zip(CASES, ["этот", "этого", "этому", "-", "этим", "этом"], strict=True)),
    "f": dict(zip(CASES, ["эта", "этой", "этой", "эту", "этой", "этой"], strict=True)),
    "n": dict(zip(CASES, ["это", "этого", "этому", "это", "этим", "этом"], strict=True)),
    "p": dict(zip(CASES, ["эти", "этих", "этим", "-", "этими", "этих"], strict=True)),
}
MY = {
    "m": dict(zip(CASES, ["мой", "моего", "моему", "-", "моим", "моём"], strict=True)),
    "f": dict(zip(CASES, ["моя", "моей", "моей", "мою", "моей", "моей"], strict=True)),
    "n": dict(zip(CASES, ["моё", "моего", "моему", "моё", "моим", "моём"], strict=True)),
    "p": dict(zip(CASES, ["мои", "моих", "моим", "-", "моими", "моих"], strict=True)),
}
OUR = {
    "m": dict(zip(CASES, ["наш", "нашего", "нашему", "-", "нашим", "нашем"], strict=True)),
    "f": dict(zip(CASES, ["наша", "нашей", "нашей", "нашу", "нашей", "нашей"], strict=True)),
    "n": dict(zip(CASES, ["наше", "нашего", "нашему", "наше", "нашим", "нашем"], strict=True)),
    "p": dict(zip(CASES, ["наши", "наших", "нашим", "-", "нашими", "наших"], strict=True)),
}
