"""English: analytic verbs with do-support, particles, two-word compounds, 's."""

from xalign_fairseq.languages.sample.lexicon import Entry
from xalign_fairseq.languages.sample.meaning import Clause, Message, Phrase, Token, finish, fixed_phrase, time_phrase

SUBJECTS = {"I": "I", "he": "he", "she": "she", "we": "we", "they": "they", "nobody": "nobody", "it": "it"}
OBJECTS = {"I": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
DETERMINERS = {"definite": "the", "indefinite": "a", "every": "every", "many": "many"}
AN_EXCEPTIONS = ("hour", "honest", "heir")
A_EXCEPTIONS = ("uni", "use", "euro", "one")


def plural(word: str) -> str:
    """The regular plural of a noun; also the third person of a verb (``watch`` - ``watches``)."""
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def noun_forms(cell: str) -> tuple[list[str], list[str]]:
    """Singular and plural of a cell ``word [plural]``; ``_`` separates the words of a compound."""
    singular, _, irregular = cell.partition(" ")
    return singular.split("_"), (irregular or plural(singular)).split("_")


def verb_forms(cell: str) -> dict[str, str]:
    """Forms of a cell ``base [past participle [ing]] [+particle | ~preposition]``."""
    words = cell.split()
    extra = words.pop() if words[-1][0] in "+~" else ""
    base = words[0]
    soft = base.endswith("e") or plural(base).endswith("ies")
    regular = plural(base)[:-1] + "d" if soft else base + "ed"
    gerund = base[:-1] + "ing" if base.endswith("e") and not base.endswith("ee") else base + "ing"
    return {
        "base": base,
        "third": base + "es" if base.endswith("o") else plural(base),
        "past": words[1] if len(words) > 1 else regular,
        "participle": words[2] if len(words) > 2 else regular,
        "ing": words[3] if len(words) > 3 else gerund,
        "particle": extra[1:] if extra.startswith("+") else "",
        "preposition": extra[1:] if extra.startswith("~") else "",
    }


class English:
    """Says a :class:`Message` in English."""

    def __init__(self) -> None:
        self._nouns: dict[Entry, tuple[list[str], list[str]]] = {}
        self._verbs: dict[Entry, dict[str, str]] = {}

    def say(self, sentence: Message) -> list[Token]:
        """The tokens of a sentence."""
        first = self._clause(sentence.first)
        out = first
        if sentence.second is not None:
            joint = fixed_phrase(sentence.conjunction["en"], sentence.conjunction_key) if sentence.conjunction else []
            second = self._clause(sentence.second)
            if sentence.join == "that":
                out = [*first, ("that", sentence.conjunction_key), *second]
            elif sentence.join == "coordinate":
                comma = [(",", sentence.comma_key)] if joint[0][0] == "but" else []
                out = [*first, *comma, *joint, *second]
            elif sentence.second_first:
                out = [*joint, *second, (",", sentence.comma_key), *first]
            else:
                out = [*first, *joint, *second]
        out = [*out, ("?" if sentence.first.question else ".", sentence.mark_key)]
        for i in range(len(out) - 1):
            if out[i][0] == "a":
                following = out[i + 1][0].lower()
                vowel = following[0] in "aeiou" and not following.startswith(A_EXCEPTIONS)
                if vowel or following.startswith(AN_EXCEPTIONS):
                    out[i] = ("an", out[i][1])
        return finish(out)

    def _phrase(self, phrase: Phrase, objective: bool = False) -> list[Token]:
        if phrase.kind == "name":
            return [(phrase.noun["en"], phrase.head_key)]
        if phrase.kind != "noun":
            return [((OBJECTS if objective else SUBJECTS)[phrase.kind], phrase.head_key)]
        out = self._determiner(phrase)
        out += [(adjective["en"].partition("/")[0], key) for adjective, key in phrase.adjectives]
        forms = self._nouns.get(phrase.noun)
        if forms is None:
            forms = self._nouns[phrase.noun] = noun_forms(phrase.noun["en"])
        words = forms[phrase.plural]
        if len(words) == 2:
            out += [(words[0], phrase.modifier_key), (words[1], phrase.head_key)]
        else:
            out.append((words[0], phrase.head_key | phrase.modifier_key))
        if phrase.owner and phrase.of:
            out += [("of", phrase.owner_key), *self._phrase(phrase.owner)]
        if phrase.relative:
            person = "person" in phrase.noun.classes
            word = "who" if person and phrase.relative.gap == "subject" else "that"
            out += [(word, phrase.relative.word_key), *self._clause(phrase.relative)]
        return out

    def _determiner(self, phrase: Phrase) -> list[Token]:
        if phrase.owner and not phrase.of:
            return [*self._phrase(phrase.owner), ("'s", phrase.owner_key)]
        key = phrase.determiner_key
        match phrase.determiner:
            case "bare":
                return []
            case "number":
                number = phrase.number
                return [(str(number) if isinstance(number, int) else number["en"], key)]
            case "this":
                return [("these" if phrase.plural else "this", key)]
            case other:
                return [(DETERMINERS.get(other, other), key)]

    def _clause(self, clause: Clause) -> list[Token]:
        time = time_phrase(clause, "en")
        out: list[Token] = []
        if clause.time_first:
            out, time = time, []
        if clause.question not in ("", "yes-no"):
            out = [(clause.question, clause.word_key)]
        subject = [] if clause.gap == "subject" else self._phrase(clause.subject)
        match clause.kind:
            case "copula":
                return [*out, *self._copula(clause, subject), *time]
            case "existential":
                be = self._be(clause.subject.person, clause.tense)
                out += [("there", clause.word_key), (be, clause.verb_key), *subject]
                return [*out, *self._place(clause), *time]
        before, after = self._verb_group(clause)
        if clause.question:
            out += [*before[:1], *subject, *before[1:]]
        else:
            out += [*subject, *before]
        return [*out, *after, *self._complements(clause), *self._place(clause), *time]

    @staticmethod
    def _be(person: str, tense: str) -> str:
        if tense == "future":
            return "be"
        if tense in ("past", "past_progressive"):
            return "was" if person in ("1s", "3s") else "were"
        return {"1s": "am", "3s": "is"}.get(person, "are")

    def _copula(self, clause: Clause, subject: list[Token]) -> list[Token]:
        assert clause.adjective is not None
        be = (self._be(clause.subject.person, clause.tense), clause.verb_key)
        will = [("will", clause.tense_key)] if clause.tense == "future" else []
        no = [("not", clause.negation_key)] if clause.negation else []
        base, _, compared = clause.adjective["en"].partition("/")
        if clause.standard is None:
            predicate = [(base, clause.particle_key)]
        else:
            both = clause.degree_key | clause.particle_key
            more = [("more", clause.degree_key), (base, clause.particle_key)]
            predicate = [(compared, both)] if compared else more
            predicate += [("than", clause.standard_key), *self._phrase(clause.standard)]
        if clause.question:
            return [*(will or [be]), *subject, *([be] if will else []), *predicate]
        return [*subject, *(will + no + [be] if will else [be, *no]), *predicate]

    def _verb_group(self, clause: Clause) -> tuple[list[Token], list[Token]]:
        """Auxiliaries and verb: what precedes the frame's complements. The first token moves in questions."""
        verb = self._verbs.get(clause.action)
        if verb is None:
            verb = self._verbs[clause.action] = verb_forms(clause.action["en"])
        person = clause.subject.person
        third = person == "3s"
        lexical = clause.verb_key | (0 if verb["particle"] or verb["preposition"] else clause.particle_key)
        tense = clause.tense_key
        never = [("never", clause.negation_key)] if clause.negation == "never" else []
        no = [("not", clause.negation_key)] if clause.negation == "not" else []
        often = [(clause.frequency.entry["en"], clause.frequency.key)] if clause.frequency else []
        if clause.modal:
            if clause.modal != "want":
                return [(clause.modal, tense), *no, (verb["base"], lexical)], []
            after = [("to", 0), (verb["base"], lexical)]
            if no or clause.question:
                return [("does" if third else "do", 0), *no, ("want", tense)], after
            return [("wants" if third else "want", tense)], after
        match clause.tense:
            case "future":
                return [("will", tense), *no, *never, *often, (verb["base"], lexical)], []
            case "perfect":
                return [("has" if third else "have", tense), *no, *never, (verb["participle"], lexical)], []
            case "progressive" | "past_progressive":
                return [(self._be(person, clause.tense), tense), *no, (verb["ing"], lexical)], []
        past = clause.tense == "past"
        if no or clause.question:
            do = "did" if past else "does" if third else "do"
            return [(do, 0), *no, *often, (verb["base"], lexical | tense)], []
        form = "past" if past else "third" if third else "base"
        return [*never, *often, (verb[form], lexical | tense)], []

    def _complements(self, clause: Clause) -> list[Token]:
        verb = self._verbs[clause.action]
        out: list[Token] = [(verb["preposition"], clause.particle_key)] if verb["preposition"] else []
        particle = [(verb["particle"], clause.particle_key)] if verb["particle"] else []
        item = []
        if clause.object is not None and clause.gap != "object":
            item = self._phrase(clause.object, objective=True)
        if clause.recipient is not None:
            recipient = self._phrase(clause.recipient, objective=True)
            if clause.recipient_first:
                out += [*recipient, *item]
            else:
                out += [*particle, *item, ("to", clause.recipient_key), *recipient]
        else:
            last = clause.particle_last or (clause.object is not None and clause.object.is_pronoun)
            out += [*item, *particle] if last else [*particle, *item]
        if clause.manner:
            out.append((clause.manner.entry["en"], clause.manner.key))
        return out

    def _place(self, clause: Clause) -> list[Token]:
        place = clause.place
        if place is None:
            return []
        if place.phrase.kind == "name":
            word = "to" if place.direction else "in"
        else:
            word = "to" if place.direction else place.phrase.noun["preposition"].split()[0]
        return [(word, place.key), *self._phrase(place.phrase)]
