"""German: the finite verb second in main clauses and last in subordinate ones, particles and participles at the end."""

from xalign_fairseq.languages.sample.meaning import Clause, Message, Phrase
from xalign_fairseq.languages.sample.words import Token, by_person, merged, word

PRONOUNS = {"I": "ich", "he": "er", "she": "sie", "we": "wir", "they": "sie"}
STEMS = {"my": "mein", "his": "sein", "her": "ihr", "our": "unser", "their": "ihr", "indefinite": "ein"}
DEFINITE = {
    "nom": {"m": "der", "f": "die", "n": "das", "p": "die"},
    "acc": {"m": "den", "f": "die", "n": "das", "p": "die"},
    "dat": {"m": "dem", "f": "der", "n": "dem", "p": "den"},
}
STRONG = {
    "nom": {"m": "er", "f": "e", "n": "es", "p": "e"},
    "acc": {"m": "en", "f": "e", "n": "es", "p": "e"},
    "dat": {"m": "em", "f": "er", "n": "em", "p": "en"},
}
CONTRACTIONS = {
    ("in", "dem"): "im",
    ("an", "dem"): "am",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("von", "dem"): "vom",
}
HABEN = by_person("habe hat haben haben")
SEIN = by_person("bin ist sind sind")
WERDEN = by_person("werde wird werden werden")


def say(message: Message) -> list[Token]:
    out = _clause(message.first)
    if message.second is not None:
        coordinate = message.conjunction and message.conjunction["kind"] == "coordinate"
        out += [*message.joint("de"), *_clause(message.second, last=not coordinate)]
    return merged([*out, message.mark], CONTRACTIONS)


def _clause(clause: Clause, last: bool = False) -> list[Token]:
    """The finite verb in the second place, in the first of questions, or ``last``."""
    front, time = clause.times("de")
    verb, subject = word(clause.verb, "de"), _phrase(clause.subject, "nom")
    finite, end = _verb_group(clause, verb, last)
    item, case = clause.object, verb.get("case", "acc")
    fused = clause.negated and item is not None and item.determiner == "indefinite" and "preposition" not in verb
    words = _phrase(item, case, clause.no if fused else 0) if item else []
    no = [("nicht", clause.no)] if clause.negated and not fused else []
    words = [*no, (verb["preposition"], clause.particle), *words] if "preposition" in verb else [*words, *no]
    middle = [*time, *words, *_place(clause), *end]
    if last:
        return [*subject, *front, *middle, finite]
    if clause.question:
        return [finite, *subject, *middle]
    return [*front, finite, *subject, *middle] if front else [*subject, finite, *middle]


def _verb_group(clause: Clause, verb: dict[str, str], last: bool) -> tuple[Token, list[Token]]:
    """The finite verb, and the words at the clause's end."""
    person, time, particle = clause.subject.person, clause.time, verb.get("particle", "")
    whole = clause.action | (0 if "preposition" in verb else clause.particle)
    if clause.tense == "future":
        return (WERDEN[person], time), [(particle + verb["infinitive"], whole)]
    if clause.tense == "perfect":
        auxiliary = SEIN if verb.get("auxiliary") == "sein" else HABEN
        return (auxiliary[person], time), [(particle + verb["participle"], whole)]
    form = verb[f"{clause.tense}.{person}"]
    if last or not particle:
        return (particle + form, whole | time), []
    return (form, clause.action | time), [(particle, clause.particle)]


def _phrase(phrase: Phrase, case: str, no: int = 0) -> list[Token]:
    """A noun phrase in a case; ``no`` is the concept of a negation that fuses with the article (kein)."""
    if phrase.kind == "name":
        return [(phrase.entry["de"], phrase.head)]
    if phrase.kind != "noun":
        return [(PRONOUNS[phrase.kind], phrase.head)]
    noun = word(phrase.entry, "de")
    gender = "p" if phrase.plural else noun["gender"]
    strong, bare = STRONG[case][gender], (case == "nom" and gender in "mn") or (case == "acc" and gender == "n")
    weak = "en" if gender == "p" or case == "dat" or (case == "acc" and gender == "m") else "e"
    out: list[Token] = []
    match phrase.determiner:
        case "definite":
            out, ending = [(DEFINITE[case][gender], phrase.article)], weak
        case "this":
            out, ending = [("dies" + strong, phrase.article)], weak
        case "number":
            out, ending = [phrase.numeral("de")], strong
        case "indefinite" if phrase.plural and not no:
            ending = strong
        case kind:
            stem = "kein" if no else STEMS[kind]
            out = [(stem + ("" if bare else strong), phrase.article | no)]
            ending = strong if bare else weak
    if phrase.adjective:
        out.append((word(phrase.adjective, "de")["stem"] + ending, phrase.quality))
    return [*out, (noun[f"{'p' if phrase.plural else 's'}.{case}"], phrase.head | phrase.modifier)]


def _place(clause: Clause) -> list[Token]:
    place = clause.place
    if place is None:
        return []
    if place.kind == "name":
        preposition = "nach" if clause.goes else "in"
    else:
        preposition = "zu" if clause.goes else place.entry["preposition"].split()[1]
    return [(preposition, clause.where), *_phrase(place, "dat")]
