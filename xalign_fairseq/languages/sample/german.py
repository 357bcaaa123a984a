"""German: the finite verb second in main clauses and last in subordinate ones, particles and participles at the end."""

from xalign_fairseq.languages.sample.meaning import Clause, Message, Phrase, Token, time_phrase
from xalign_fairseq.languages.sample.realiser import Realiser, by_person, merged

PRONOUNS = {
    "I": {"nom": "ich", "acc": "mich", "dat": "mir"},
    "he": {"nom": "er", "acc": "ihn", "dat": "ihm"},
    "she": {"nom": "sie", "acc": "sie", "dat": "ihr"},
    "we": {"nom": "wir", "acc": "uns", "dat": "uns"},
    "they": {"nom": "sie", "acc": "sie", "dat": "ihnen"},
    "nobody": {"nom": "niemand"},
    "it": {"nom": "es"},
}
POSSESSIVES = {"my": "mein", "his": "sein", "her": "ihr", "our": "unser", "their": "ihr"}
QUESTIONS = {"where": "wo", "when": "wann", "why": "warum"}
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
AUXILIARIES = {
    "haben": by_person("habe hat haben haben"),
    "sein": by_person("bin ist sind sind"),
    "war": by_person("war war waren waren"),
    "werden": by_person("werde wird werden werden"),
    "can": by_person("kann kann können können"),
    "must": by_person("muss muss müssen müssen"),
    "want": by_person("will will wollen wollen"),
}


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


class German(Realiser):
    """Says a :class:`Message` in German."""

    language = "de"
    that = "dass"

    def _clauses(self, sentence: Message) -> list[Token]:
        if sentence.second is None:
            return self._clause(sentence.first)
        comma, joint = (",", sentence.comma_key), self._joint(sentence)
        if sentence.join == "coordinate":
            but = [comma] if joint[0][0] == "aber" else []
            return [*self._clause(sentence.first), *but, *joint, *self._clause(sentence.second)]
        joined = [*joint, *self._subordinate(sentence.second)]
        if sentence.second_first:
            return self._clause(sentence.first, front=[*joined, comma])
        return [*self._clause(sentence.first), comma, *joined]

    def _smooth(self, tokens: list[Token]) -> list[Token]:
        return merged(tokens, CONTRACTIONS)

    def _phrase(self, phrase: Phrase, case: str, negated: int = 0) -> list[Token]:
        """A noun phrase in a case; ``negated`` is the key of a negation that fuses with the article (kein)."""
        if phrase.kind == "name":
            return [(phrase.noun["de"], phrase.head_key)]
        if phrase.kind != "noun":
            return [(PRONOUNS[phrase.kind][case], phrase.head_key)]
        noun = self.nouns[phrase.noun]
        gender = "p" if phrase.plural else noun.mark("gender")
        out, after = self._determiner(phrase, case, gender, negated)
        ending = adjective_ending(case, gender, after)
        out += [(self.adjectives[a]["stem"] + ending, key) for a, key in phrase.adjectives]
        form = noun[f"{'p' if phrase.plural else 's'}.{case}"]
        out.append((form, phrase.head_key | phrase.modifier_key))
        if phrase.owner and phrase.owner.kind != "name":
            out += self._phrase(phrase.owner, "gen")
        if phrase.relative:
            role = "nom" if phrase.relative.gap == "subject" else "acc"
            out += [(",", 0), (DEFINITE[role][gender], phrase.relative.word_key)]
            out += [*self._subordinate(phrase.relative), (",", 0)]
        return out

    def _determiner(self, phrase: Phrase, case: str, gender: str, negated: int) -> tuple[list[Token], str]:
        key = phrase.determiner_key
        if phrase.owner:
            if phrase.owner.kind == "name":
                return [(phrase.owner.noun["de"] + "s", phrase.owner.head_key | phrase.owner_key)], "strong"
            return [(DEFINITE[case][gender], key)], "weak"
        match phrase.determiner:
            case "definite":
                return [(DEFINITE[case][gender], key)], "weak"
            case "indefinite" | "bare" if negated:
                return [("kein" + indefinite_ending(case, gender), key | negated)], "mixed"
            case "indefinite":
                return [("ein" + indefinite_ending(case, gender), key)], "mixed"
            case "bare":
                return [], "strong"
            case "this" | "every":
                stem = "dies" if phrase.determiner == "this" else "jed"
                return [(stem + determiner_ending(case, gender), key)], "weak"
            case "many":
                return [("viel" + determiner_ending(case, gender), key)], "strong"
            case "number":
                return [self._number(phrase)], "strong"
        return [(POSSESSIVES[phrase.determiner] + indefinite_ending(case, gender), key)], "mixed"

    def _clause(self, clause: Clause, front: list[Token] | None = None) -> list[Token]:
        """Verb second, after ``front``, a question word, a time adverbial or the subject; verb first in questions."""
        finite, end = self._verb_group(clause, joined=False)
        subject = self._subject(clause)
        middle = self._middle(clause)
        if clause.question == "yes-no":
            return [*finite, *subject, *middle, *end]
        if clause.question:
            front = [(QUESTIONS[clause.question], clause.word_key)]
        elif front is None and clause.time_first:
            front = time_phrase(clause, "de")
        elif front is not None and clause.time_first:
            middle = [*time_phrase(clause, "de"), *middle]
        if front is None:
            return [*subject, *finite, *middle, *end]
        return [*front, *finite, *subject, *middle, *end]

    def _subordinate(self, clause: Clause) -> list[Token]:
        """Verb last."""
        finite, end = self._verb_group(clause, joined=True)
        subject = [] if clause.gap == "subject" else self._subject(clause)
        time = time_phrase(clause, "de") if clause.time_first else []
        return [*subject, *time, *self._middle(clause), *end, *finite]

    def _subject(self, clause: Clause) -> list[Token]:
        if clause.kind == "existential":
            return [("es", clause.word_key)]
        return self._phrase(clause.subject, "nom")

    def _verb_group(self, clause: Clause, joined: bool) -> tuple[list[Token], list[Token]]:
        """The finite verb, and what is at the clause's end; ``joined`` writes a particle before its verb."""
        person, tense, key = clause.subject.person, clause.tense_key, clause.verb_key
        past = clause.tense in ("past", "past_progressive")
        if clause.kind == "existential":
            return [("gab" if past else "gibt", key)], []
        if clause.kind == "copula":
            if clause.tense == "future":
                return [(AUXILIARIES["werden"][person], tense)], [("sein", key)]
            return [(AUXILIARIES["war" if past else "sein"][person], key)], []
        verb = self.verbs[clause.action]
        whole = key if verb.mark("preposition") else key | clause.particle_key
        particle = verb.mark("particle")
        if clause.modal or clause.tense == "future":
            return [(AUXILIARIES[clause.modal or "werden"][person], tense)], [(particle + verb["infinitive"], whole)]
        if clause.tense == "perfect":
            auxiliary = AUXILIARIES[verb.mark("auxiliary", "haben")][person]
            return [(auxiliary, tense)], [(particle + verb["participle"], whole)]
        form = verb[f"{'past' if past else 'present'}.{person}"]
        if joined or not particle:
            return [(particle + form, whole | tense)], []
        return [(form, key | tense)], [(particle, clause.particle_key)]

    def _middle(self, clause: Clause) -> list[Token]:
        """Between the finite verb and the clause's end."""
        item = clause.object if clause.gap != "object" else None
        verb = self.verbs[clause.action] if clause.kind == "verb" else None
        fused = item is not None and clause.negation == "not" and item.determiner in ("indefinite", "bare")
        fused = fused and item is not None and item.kind == "noun" and item.owner is None
        out: list[Token] = []
        pronoun = item is not None and item.is_pronoun
        if item is not None and verb is not None and pronoun:
            out += self._phrase(item, verb.mark("case", "acc"))
        if not clause.time_first:
            out += time_phrase(clause, "de")
        if clause.frequency:
            out.append((clause.frequency.entry["de"], clause.frequency.key))
        if clause.negation == "never":
            out.append(("nie", clause.negation_key))
        if clause.recipient:
            out += self._phrase(clause.recipient, "dat")
        late: list[Token] = []
        if item is not None and verb is not None and not pronoun:
            words = self._phrase(item, verb.mark("case", "acc"), clause.negation_key if fused else 0)
            if verb.mark("preposition"):
                late = [(verb.mark("preposition"), clause.particle_key), *words]
            else:
                out += words
        if clause.kind == "existential":
            out += self._phrase(clause.subject, "acc")
        if clause.negation == "not" and not fused:
            out.append(("nicht", clause.negation_key))
        if clause.manner:
            out.append((clause.manner.entry["de"], clause.manner.key))
        out += late
        out += self._predicate(clause)
        return out + self._place(clause)

    def _predicate(self, clause: Clause) -> list[Token]:
        if clause.adjective is None:
            return []
        adjective = self.adjectives[clause.adjective]
        if clause.standard is None:
            return [(adjective["base"], clause.particle_key)]
        compared = (adjective["comparative"], clause.degree_key | clause.particle_key)
        return [compared, ("als", clause.standard_key), *self._phrase(clause.standard, "nom")]

    def _place(self, clause: Clause) -> list[Token]:
        place = clause.place
        if place is None:
            return []
        if place.phrase.kind == "name":
            return [("nach" if place.direction else "in", place.key), *self._phrase(place.phrase, "dat")]
        word = "zu" if place.direction else place.phrase.noun["preposition"].split()[1]
        return [(word, place.key), *self._phrase(place.phrase, "dat")]
