"""Russian: no articles, case endings for prepositions, aspect for tense."""

import re
from functools import cache

from xalign_fairseq.languages.sample.meaning import Clause, Message, Phrase
from xalign_fairseq.languages.sample.words import Token, word

PRONOUNS = {"I": "я", "he": "он", "she": "она", "we": "мы", "they": "они"}
FIXED_POSSESSIVES = {"his": "его", "her": "её", "their": "их"}
CLUSTERS = {"в": re.compile("[вф][^аеёиоуыэюя]"), "с": re.compile("[сзшж][^аеёиоуыэюя]")}
CASES = ("nom", "gen", "dat", "acc", "ins", "loc")
SIBILANTS = "жшчщ"
# Endings by gender, ``p`` for a plural, and case; - is the nominative or the genitive.
HARD = {
    "m": "ый ого ому - ым ом",
    "f": "ая ой ой ую ой ой",
    "n": "ое ого ому ое ым ом",
    "p": "ые ых ым - ыми ых",
}
SOFT = {
    "m": "ий его ему - им ем",
    "f": "яя ей ей юю ей ей",
    "n": "ее его ему ее им ем",
    "p": "ие их им - ими их",
}
PRONOMINAL = {
    "this": {
        "m": "этот этого этому - этим этом",
        "f": "эта этой этой эту этой этой",
        "n": "это этого этому это этим этом",
        "p": "эти этих этим - этими этих",
    },
    "my": {
        "m": "мой моего моему - моим моём",
        "f": "моя моей моей мою моей моей",
        "n": "моё моего моему моё моим моём",
        "p": "мои моих моим - моими моих",
    },
    "our": {
        "m": "наш нашего нашему - нашим нашем",
        "f": "наша нашей нашей нашу нашей нашей",
        "n": "наше нашего нашему наше нашим нашем",
        "p": "наши наших нашим - нашими наших",
    },
}


@cache
def adjective_forms(nominative: str) -> dict[str, str]:
    """The forms of an adjective by gender, in the order of the cases."""
    stem, ending = nominative[:-2], nominative[-2:]
    forms = SOFT if ending == "ий" and stem.endswith("н") else HARD
    if stem[-1] in SIBILANTS + "кгх":
        forms = {gender: endings.replace("ы", "и") for gender, endings in forms.items()}
    if stem[-1] in SIBILANTS and ending == "ий":
        forms = {gender: re.sub(r"\bо", "е", endings) for gender, endings in forms.items()}
    made = {gender: " ".join(e if e == "-" else stem + e for e in endings.split()) for gender, endings in forms.items()}
    return {**made, "m": " ".join([nominative, *made["m"].split()[1:]])}


def _declined(forms: dict[str, str], gender: str, case: str, animate: bool) -> str:
    if case == "acc" and gender in "mp":
        case = "gen" if animate else "nom"
    return forms[gender].split()[CASES.index(case)]


def say(message: Message) -> list[Token]:
    """The tokens of a sentence."""
    out = _clause(message.first)
    if message.second is not None:
        out += [message.comma, *message.joint("ru"), *_clause(message.second)]
    for i, (text, keys) in enumerate(out[:-1]):
        if text in CLUSTERS and CLUSTERS[text].match(out[i + 1][0].lower()):
            out[i] = (text + "о", keys)
    return [*out, message.mark]


def _clause(clause: Clause) -> list[Token]:
    before, behind = clause.times("ru")
    verb = word(clause.verb, "ru_imperfective" if clause.tense == "present" else "ru_perfective")
    subject, finite = _phrase(clause.subject, "nom"), _finite(clause, verb)
    no: list[Token] = [("не", clause.no)] if clause.negated else []
    out = [finite, ("ли", 0), *subject] if clause.question else [*before, *subject, *no, finite]
    if clause.object:
        out += [(verb["preposition"], clause.particle)] if "preposition" in verb else []
        out += _phrase(clause.object, verb.get("case", "acc"))
    if clause.place:
        at = "в" if clause.place.kind == "name" else clause.place.entry["preposition"].split()[3]
        case = "acc" if clause.goes else "gen" if at == "у" else "loc"
        out += [(at, clause.where), *_phrase(clause.place, case)]
    return [*out, *behind]


def _finite(clause: Clause, verb: dict[str, str]) -> Token:
    subject, keys = clause.subject, clause.action | clause.time | (0 if "preposition" in verb else clause.particle)
    if clause.tense in ("present", "future"):
        return verb[f"present.{subject.person}"], keys
    if subject.person in ("1p", "3p"):
        gender = "p"
    elif subject.kind in ("noun", "name"):
        gender = word(subject.entry, "ru")["gender"]
    else:
        gender = "f" if subject.kind == "she" else "m"
    return verb[f"past.{gender}"], keys


def _phrase(phrase: Phrase, case: str) -> list[Token]:
    if phrase.kind not in ("noun", "name"):
        return [(PRONOUNS[phrase.kind], phrase.head)]
    noun = word(phrase.entry, "ru")
    if phrase.kind == "name":
        return [(noun["s." + case], phrase.head)]
    animate, plural = "animate" in noun, phrase.plural
    gender = "p" if plural else noun["gender"]
    out: list[Token] = []
    of_adjective = case
    if phrase.determiner == "number":
        token, plural, of_adjective = _counted(phrase, noun)
        case = "gen"
        out.append(token)
    elif phrase.determiner in FIXED_POSSESSIVES:
        out.append((FIXED_POSSESSIVES[phrase.determiner], phrase.article))
    elif phrase.determiner in PRONOMINAL:
        out.append((_declined(PRONOMINAL[phrase.determiner], gender, case, animate), phrase.article))
    named = [(phrase.adjective["ru"].partition("/")[0], phrase.quality)] if phrase.adjective else []
    named += [(noun["modifier"], phrase.modifier)] if "modifier" in noun else []
    out += [(_declined(adjective_forms(each), gender, of_adjective, animate), key) for each, key in named]
    split = "modifier" in noun and "_" in phrase.entry["en"]
    return [*out, (noun[f"{'p' if plural else 's'}.{case}"], phrase.head | (0 if split else phrase.modifier))]


def _counted(phrase: Phrase, noun: dict[str, str]) -> tuple[Token, bool, str]:
    """The numeral of a subject, whether its noun, a genitive, is plural, and the adjectives' case."""
    value = phrase.number if isinstance(phrase.number, int) else int(phrase.number["value"])
    if value > 4:
        return phrase.numeral("ru"), True, "gen"
    feminine = noun["gender"] == "f"
    text = "две" if value == 2 and feminine else phrase.numeral("ru")[0]
    return (text, phrase.article), False, "nom" if feminine else "gen"
