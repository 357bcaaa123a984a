"""English: do-support, particles, two-word compounds."""

from xalign_fairseq.languages.sample.meaning import Clause, Message, Phrase
from xalign_fairseq.languages.sample.words import Token, word

DETERMINERS = {"definite": "the", "indefinite": "a"}
AN_EXCEPTIONS = ("hour", "honest", "heir")
A_EXCEPTIONS = ("uni", "use", "euro", "one")


def say(message: Message) -> list[Token]:
    out = _clause(message.first)
    if message.second is not None:
        out += [*message.joint("en"), *_clause(message.second)]
    for i, (text, keys) in enumerate(out[:-1]):
        following = out[i + 1][0].lower()
        vowel = following[0] in "aeiou" and not following.startswith(A_EXCEPTIONS)
        if text == "a" and (vowel or following.startswith(AN_EXCEPTIONS)):
            out[i] = ("an", keys)
    return [*out, message.mark]


def _clause(clause: Clause) -> list[Token]:
    before, behind = clause.times("en")
    verb, subject = word(clause.verb, "en"), _phrase(clause.subject)
    auxiliary, rest = _verb_group(clause, verb)
    out = [*before, *(auxiliary + subject if clause.question else subject + auxiliary)]
    out += [("not", clause.no)] if clause.negated else []
    out.append(rest)
    item = _phrase(clause.object) if clause.object else []
    if "preposition" in verb:
        item = [(verb["preposition"], clause.particle), *item]
    particle = [(verb["particle"], clause.particle)] if "particle" in verb else []
    out += [*item, *particle] if clause.when else [*particle, *item]  # both orders are correct
    if clause.place:
        at = "in" if clause.place.kind == "name" else clause.place.entry["preposition"].split()[0]
        out += [("to" if clause.goes else at, clause.where), *_phrase(clause.place)]
    return [*out, *behind]


def _verb_group(clause: Clause, verb: dict[str, str]) -> tuple[list[Token], Token]:
    """The auxiliary, which comes first in questions, and the verb."""
    own = verb.keys() & {"particle", "preposition"}
    key, time = clause.action | (0 if own else clause.particle), clause.time
    third, past = clause.subject.person == "3s", clause.tense == "past"
    if clause.tense == "future":
        return [("will", time)], (verb["base"], key)
    if clause.tense == "perfect":
        return [("has" if third else "have", time)], (verb["participle"], key)
    if clause.negated or clause.question:
        return [("did" if past else "does" if third else "do", 0)], (verb["base"], key | time)
    return [], (verb["past" if past else "third" if third else "base"], key | time)


def _phrase(phrase: Phrase) -> list[Token]:
    if phrase.kind == "name":
        return [(phrase.entry["en"], phrase.head)]
    if phrase.kind != "noun":
        return [(phrase.kind, phrase.head)]
    out: list[Token] = []
    match phrase.determiner:
        case "number":
            out = [phrase.numeral("en")]
        case "this":
            out = [("these" if phrase.plural else "this", phrase.article)]
        case kind if kind != "indefinite" or not phrase.plural:
            out = [(DETERMINERS.get(kind, kind), phrase.article)]
    if phrase.adjective:
        out.append((phrase.adjective["en"].partition("/")[0], phrase.quality))
    first, _, second = word(phrase.entry, "en")["p" if phrase.plural else "s"].partition("_")
    if second:
        return [*out, (first, phrase.modifier), (second, phrase.head)]
    return [*out, (first, phrase.head | phrase.modifier)]
