"""English: analytic verbs with do-support, particles, two-word compounds, 's."""

from xalign_fairseq.languages.sample.meaning import Clause, Phrase, Token, time_phrase
from xalign_fairseq.languages.sample.realiser import Realiser

SUBJECTS = {"I": "I", "he": "he", "she": "she", "we": "we", "they": "they", "nobody": "nobody", "it": "it"}
OBJECTS = {"I": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
DETERMINERS = {"definite": "the", "indefinite": "a", "every": "every", "many": "many"}
AN_EXCEPTIONS = ("hour", "honest", "heir")
A_EXCEPTIONS = ("uni", "use", "euro", "one")


class English(Realiser):
    """Says a :class:`Message` in English."""

    language = "en"
    that = "that"
    comma_before = ("but",)

    def _smooth(self, tokens: list[Token]) -> list[Token]:
        for i, (text, keys) in enumerate(tokens[:-1]):
            following = tokens[i + 1][0].lower()
            vowel = following[0] in "aeiou" and not following.startswith(A_EXCEPTIONS)
            if text == "a" and (vowel or following.startswith(AN_EXCEPTIONS)):
                tokens[i] = ("an", keys)
        return tokens

    def _phrase(self, phrase: Phrase, objective: bool = False) -> list[Token]:
        if phrase.kind == "name":
            return [(phrase.noun["en"], phrase.head_key)]
        if phrase.kind != "noun":
            return [((OBJECTS if objective else SUBJECTS)[phrase.kind], phrase.head_key)]
        out = self._determiner(phrase)
        out += [(adjective["en"].partition("/")[0], key) for adjective, key in phrase.adjectives]
        words = self.nouns[phrase.noun]["p" if phrase.plural else "s"].split("_")
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
                return [self._number(phrase)]
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
        verb = self.verbs[clause.action]
        person = clause.subject.person
        third = person == "3s"
        lexical = clause.verb_key | (0 if verb.mark("particle") or verb.mark("preposition") else clause.particle_key)
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
        marks = self.verbs[clause.action].marks
        out: list[Token] = [(marks["preposition"], clause.particle_key)] if "preposition" in marks else []
        particle = [(marks["particle"], clause.particle_key)] if "particle" in marks else []
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
