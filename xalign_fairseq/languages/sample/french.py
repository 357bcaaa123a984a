"""French: adjectives after the noun, ne ... pas around the verb, elision and contraction.

An elided article is a separate token: ``l' école``.
"""

from xalign_fairseq.languages.sample.meaning import Clause, Message, Phrase
from xalign_fairseq.languages.sample.words import Token, by_person, merged, word

PRONOUNS = {"I": "je", "he": "il", "she": "elle", "we": "nous", "they": "ils"}
DETERMINERS = {  # masculine, feminine, plural
    "definite": ("le", "la", "les"),
    "indefinite": ("un", "une", "des"),
    "this": ("ce", "cette", "ces"),
    "my": ("mon", "ma", "mes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
}
BEFORE_VOWEL = {"ma": "mon", "sa": "son", "ce": "cet"}
ASPIRATED = {"hache", "héro", "hibou", "hérisson", "huit", "onze"}
ELIDED = {"le": "l'", "la": "l'", "de": "d'", "que": "qu'", "ne": "n'", "je": "j'"}
CONTRACTIONS = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
AVOIR = by_person("ai a avons ont")
ETRE = by_person("suis est sommes sont")


def vowel_start(text: str) -> bool:
    """Whether the word before this one drops its vowel (mute h included)."""
    return text[0].lower() in "aeiouyhàâéèêëîïôœû" and text.lower().rstrip("sx") not in ASPIRATED


def say(message: Message) -> list[Token]:
    out = _clause(message.first)
    if message.second is not None:
        out += [*message.joint("fr"), *_clause(message.second)]
    for i in range(len(out) - 2, -1, -1):  # elision from the right: de le ami, de l' ami
        if out[i][0] in ELIDED and vowel_start(out[i + 1][0]):
            out[i] = (ELIDED[out[i][0]], out[i][1])
    return merged([*out, message.mark], CONTRACTIONS)


def _clause(clause: Clause) -> list[Token]:
    before, behind = clause.times("fr")
    finite, rest = _verb_group(clause)
    ne, pas = ([(text, clause.no)] if clause.negated else [] for text in ("ne", "pas"))
    ask: list[Token] = [("est-ce", 0), ("que", 0)] if clause.question else []
    out = [*ask, *before, *_phrase(clause.subject), *ne, finite, *pas, *rest]
    if clause.object:
        preposition = word(clause.verb, "fr").get("preposition")
        out += [(preposition, clause.particle)] if preposition else []
        out += _phrase(clause.object, clause.negated and not preposition)
    if clause.place:
        to = clause.goes or clause.place.kind == "name"
        at = "à" if to else clause.place.entry["preposition"].split()[2]
        out += [(at, clause.where), *_phrase(clause.place)]
    return [*out, *behind]


def _verb_group(clause: Clause) -> tuple[Token, list[Token]]:
    """The finite verb, and the participle after it."""
    verb, subject = word(clause.verb, "fr"), clause.subject
    whole = clause.action | (0 if "preposition" in verb else clause.particle)
    if clause.tense not in ("past", "perfect"):
        return (verb[f"{clause.tense}.{subject.person}"], whole | clause.time), []
    if "auxiliary" not in verb:
        return (AVOIR[subject.person], clause.time), [(verb["sm"], whole)]
    if subject.kind == "noun":
        gender = word(subject.entry, "fr")["gender"]
    else:
        gender = "f" if subject.kind == "she" or subject.entry.get("kind") == "woman" else "m"
    agreement = ("p" if subject.person in ("1p", "3p") else "s") + gender
    return (ETRE[subject.person], clause.time), [(verb[agreement], whole)]


def _phrase(phrase: Phrase, negated: bool = False) -> list[Token]:
    """A noun phrase; an indefinite article becomes "de" where ``negated``."""
    if phrase.kind == "name":
        return [(phrase.entry["fr"], phrase.head)]
    if phrase.kind != "noun":
        return [(PRONOUNS[phrase.kind], phrase.head)]
    noun = word(phrase.entry, "fr")
    number, gender = "p" if phrase.plural else "s", noun["gender"]
    core: list[Token] = [(noun[number], phrase.head | (0 if "link" in noun else phrase.modifier))]
    if "link" in noun:
        core += [(noun["link"], 0), (noun["modifier"], phrase.modifier)]
    precedes = phrase.adjective is not None and phrase.adjective["fr"].endswith("<")
    if phrase.adjective:
        adjective = word(phrase.adjective, "fr")
        vowel = precedes and number + gender == "sm" and vowel_start(core[0][0])
        form = adjective["before-vowel" if vowel else number + gender]
        core.insert(0 if precedes else len(core), (form, phrase.quality))
    if phrase.determiner == "number":
        return [phrase.numeral("fr"), *core]
    if phrase.determiner == "indefinite" and (negated or (phrase.plural and precedes)):
        return [("de", phrase.article), *core]
    text = DETERMINERS[phrase.determiner][2 if phrase.plural else int(gender == "f")]
    if text in BEFORE_VOWEL and vowel_start(core[0][0]):
        text = BEFORE_VOWEL[text]
    return [(text, phrase.article), *core]
