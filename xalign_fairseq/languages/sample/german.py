"""German: the finite verb second in main clauses and last in subordinate ones, particles and participles at the end."""

from xalign_fairseq.languages.sample import german_morphology as morphology
from xalign_fairseq.languages.sample.lexicon import load_lexicon
from xalign_fairseq.languages.sample.meaning import Clause, Message, Phrase, Token, finish, fixed_phrase, time_phrase

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


class German:
    """Says a :class:`Message` in German."""

    def __init__(self) -> None:
        lexicon = load_lexicon()
        self.nouns = {e: morphology.parse_noun(e["de"]) for e in lexicon.nouns + lexicon.places}
        self.adjectives = {e: morphology.parse_adjective(e["de"]) for e in lexicon.adjectives}
        self.verbs = {e: morphology.parse_verb(e["de"]) for e in lexicon.verbs}

    def say(self, sentence: Message) -> list[Token]:
        """The tokens of a sentence."""
        comma = (",", sentence.comma_key)
        if sentence.second is None:
            out = self._main(sentence.first)
        elif sentence.join == "that":
            out = [*self._main(sentence.first), comma, ("dass", sentence.conjunction_key)]
            out += self._subordinate(sentence.second)
        else:
            assert sentence.conjunction is not None
            joint = fixed_phrase(sentence.conjunction["de"], sentence.conjunction_key)
            if sentence.join == "coordinate":
                but = [comma] if joint[0][0] == "aber" else []
                out = [*self._main(sentence.first), *but, *joint, *self._main(sentence.second)]
            elif sentence.second_first:
                out = self._main(sentence.first, front=[*joint, *self._subordinate(sentence.second), comma])
            else:
                out = [*self._main(sentence.first), comma, *joint, *self._subordinate(sentence.second)]
        out.append(("?" if sentence.first.question else ".", sentence.mark_key))
        return finish(self._contract(out))

    @staticmethod
    def _contract(tokens: list[Token]) -> list[Token]:
        out: list[Token] = []
        for text, keys in tokens:
            merged = morphology.CONTRACTIONS.get((out[-1][0], text)) if out else None
            if merged:
                out[-1] = (merged, out[-1][1] | keys)
            else:
                out.append((text, keys))
        return out

    def _phrase(self, phrase: Phrase, case: str, negated: int = 0) -> list[Token]:
        """A noun phrase in a case; ``negated`` is the key of a negation that fuses with the article (kein)."""
        if phrase.kind == "name":
            return [(phrase.noun["de"], phrase.head_key)]
        if phrase.kind != "noun":
            return [(PRONOUNS[phrase.kind][case], phrase.head_key)]
        noun = self.nouns[phrase.noun]
        gender = "p" if phrase.plural else noun.gender
        out, after = self._determiner(phrase, case, gender, negated)
        ending = morphology.adjective_ending(case, gender, after)
        out += [(self.adjectives[a].stem + ending, key) for a, key in phrase.adjectives]
        forms = noun.plural if phrase.plural else noun.singular
        out.append((forms[case], phrase.head_key | phrase.modifier_key))
        if phrase.owner and phrase.owner.kind != "name":
            out += self._phrase(phrase.owner, "gen")
        if phrase.relative:
            role = "nom" if phrase.relative.gap == "subject" else "acc"
            out += [(",", 0), (morphology.DEFINITE[role][gender], phrase.relative.word_key)]
            out += [*self._subordinate(phrase.relative), (",", 0)]
        return out

    def _determiner(self, phrase: Phrase, case: str, gender: str, negated: int) -> tuple[list[Token], str]:
        key = phrase.determiner_key
        if phrase.owner:
            if phrase.owner.kind == "name":
                return [(phrase.owner.noun["de"] + "s", phrase.owner.head_key | phrase.owner_key)], "strong"
            return [(morphology.DEFINITE[case][gender], key)], "weak"
        match phrase.determiner:
            case "definite":
                return [(morphology.DEFINITE[case][gender], key)], "weak"
            case "indefinite" | "bare" if negated:
                return [("kein" + morphology.indefinite_ending(case, gender), key | negated)], "mixed"
            case "indefinite":
                return [("ein" + morphology.indefinite_ending(case, gender), key)], "mixed"
            case "bare":
                return [], "strong"
            case "this" | "every":
                stem = "dies" if phrase.determiner == "this" else "jed"
                return [(stem + morphology.determiner_ending(case, gender), key)], "weak"
            case "many":
                return [("viel" + morphology.determiner_ending(case, gender), key)], "strong"
            case "number":
                number = phrase.number
                return [(str(number) if isinstance(number, int) else number["de"], key)], "strong"
        return [(POSSESSIVES[phrase.determiner] + morphology.indefinite_ending(case, gender), key)], "mixed"

    def _main(self, clause: Clause, front: list[Token] | None = None) -> list[Token]:
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
        """The finite verb, and what stands at the clause's end; ``joined`` writes a particle before its verb."""
        person, tense, key = clause.subject.person, clause.tense_key, clause.verb_key
        past = clause.tense in ("past", "past_progressive")
        if clause.kind == "existential":
            return [("gab" if past else "gibt", key)], []
        if clause.kind == "copula":
            if clause.tense == "future":
                return [(morphology.AUXILIARIES["werden"][person], tense)], [("sein", key)]
            return [(morphology.AUXILIARIES["war" if past else "sein"][person], key)], []
        verb = self.verbs[clause.action]
        whole = key if verb.preposition else key | clause.particle_key
        if clause.modal:
            return [(morphology.AUXILIARIES[clause.modal][person], tense)], [(verb.particle + verb.infinitive, whole)]
        if clause.tense == "future":
            return [(morphology.AUXILIARIES["werden"][person], tense)], [(verb.particle + verb.infinitive, whole)]
        if clause.tense == "perfect":
            auxiliary = morphology.AUXILIARIES["sein" if verb.sein else "haben"][person]
            return [(auxiliary, tense)], [(verb.particle + verb.participle, whole)]
        form = (verb.past if past else verb.present)[person]
        if not verb.particle:
            return [(form, whole | tense)], []
        if joined:
            return [(verb.particle + form, whole | tense)], []
        return [(form, key | tense)], [(verb.particle, clause.particle_key)]

    def _middle(self, clause: Clause) -> list[Token]:
        """Between the finite verb and the clause's end."""
        item = clause.object if clause.gap != "object" else None
        verb = self.verbs[clause.action] if clause.kind == "verb" else None
        fused = item is not None and clause.negation == "not" and item.determiner in ("indefinite", "bare")
        fused = fused and item is not None and item.kind == "noun" and item.owner is None
        out: list[Token] = []
        pronoun = item is not None and item.is_pronoun
        if item is not None and verb is not None and pronoun:
            out += self._phrase(item, verb.case)
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
            words = self._phrase(item, verb.case, clause.negation_key if fused else 0)
            if verb.preposition:
                late = [(verb.preposition, clause.particle_key), *words]
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
            return [(adjective.base, clause.particle_key)]
        compared = (adjective.comparative, clause.degree_key | clause.particle_key)
        return [compared, ("als", clause.standard_key), *self._phrase(clause.standard, "nom")]

    def _place(self, clause: Clause) -> list[Token]:
        place = clause.place
        if place is None:
            return []
        if place.phrase.kind == "name":
            return [("nach" if place.direction else "in", place.key), *self._phrase(place.phrase, "dat")]
        word = "zu" if place.direction else place.phrase.noun["preposition"].split()[1]
        return [(word, place.key), *self._phrase(place.phrase, "dat")]
