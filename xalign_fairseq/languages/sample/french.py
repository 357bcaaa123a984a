"""French: adjectives after the noun, pronouns before the verb, ne ... pas around it, elision and contraction.

An elided article is a token of its own: ``l' école``.
"""

from xalign_fairseq.languages.sample import french_morphology as morphology
from xalign_fairseq.languages.sample.lexicon import load_lexicon
from xalign_fairseq.languages.sample.meaning import Clause, Message, Phrase, Token, finish, fixed_phrase, time_phrase

SUBJECTS = {
    "I": "je",
    "he": "il",
    "she": "elle",
    "we": "nous",
    "they": "ils",
    "nobody": "personne",
    "it": "il",
}
OBJECTS = {"I": "me", "he": "le", "she": "la", "we": "nous", "they": "les"}
QUESTIONS = {"where": "où", "when": "quand", "why": "pourquoi"}
DETERMINERS = {  # masculine, feminine, plural
    "definite": ("le", "la", "les"),
    "owner": ("le", "la", "les"),
    "indefinite": ("un", "une", "des"),
    "this": ("ce", "cette", "ces"),
    "every": ("chaque", "chaque", ""),
    "my": ("mon", "ma", "mes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
}
BEFORE_VOWEL = {"ma": "mon", "sa": "son", "ce": "cet"}


class French:
    """Says a :class:`Message` in French."""

    def __init__(self) -> None:
        lexicon = load_lexicon()
        self.nouns = {e: morphology.parse_noun(e["fr"]) for e in lexicon.nouns + lexicon.places}
        self.adjectives = {e: morphology.parse_adjective(e["fr"]) for e in lexicon.adjectives}
        self.verbs = {e: morphology.parse_verb(e["fr"]) for e in lexicon.verbs}

    def say(self, sentence: Message) -> list[Token]:
        """The tokens of a sentence."""
        out = self._clause(sentence.first)
        if sentence.second is not None:
            second = self._clause(sentence.second)
            comma = (",", sentence.comma_key)
            if sentence.join == "that":
                out = [*out, ("que", sentence.conjunction_key), *second]
            else:
                assert sentence.conjunction is not None
                joint = fixed_phrase(sentence.conjunction["fr"], sentence.conjunction_key)
                if sentence.second_first:
                    out = [*joint, *second, comma, *out]
                else:
                    out = [*out, *([comma] if joint[0][0] == "mais" else []), *joint, *second]
        out.append(("?" if sentence.first.question else ".", sentence.mark_key))
        return finish(self._elide(out))

    @staticmethod
    def _elide(tokens: list[Token]) -> list[Token]:
        """Elision from the right (de le ami: de l' ami), then contraction of prepositions with articles."""
        for i in range(len(tokens) - 2, -1, -1):
            text, following = tokens[i][0], tokens[i + 1][0]
            if text in morphology.ELIDED and morphology.vowel_start(following):
                tokens[i] = (morphology.ELIDED[text], tokens[i][1])
            elif text == "si" and following in ("il", "ils"):
                tokens[i] = ("s'", tokens[i][1])
        out: list[Token] = []
        for text, keys in tokens:
            merged = morphology.CONTRACTIONS.get((out[-1][0], text)) if out else None
            if merged:
                out[-1] = (merged, out[-1][1] | keys)
            else:
                out.append((text, keys))
        return out

    def gender(self, phrase: Phrase) -> str:
        """m or f."""
        if phrase.kind == "noun":
            return self.nouns[phrase.noun].gender
        if phrase.kind == "name":
            return "f" if phrase.noun["kind"] == "woman" else "m"
        return "f" if phrase.kind == "she" else "m"

    def _phrase(self, phrase: Phrase, negated: bool = False) -> list[Token]:
        """A noun phrase; an indefinite article becomes "de" where ``negated``."""
        if phrase.kind == "name":
            return [(phrase.noun["fr"], phrase.head_key)]
        if phrase.kind != "noun":
            return [(SUBJECTS[phrase.kind], phrase.head_key)]
        noun = self.nouns[phrase.noun]
        head = noun.plural if phrase.plural else noun.singular
        simple = not noun.modifier
        core: list[Token] = [(head, phrase.head_key | (phrase.modifier_key if simple else 0))]
        if not simple:
            core += [(noun.link, 0), (noun.modifier, phrase.modifier_key)]
        preceded = False
        for entry, key in phrase.adjectives:
            adjective = self.adjectives[entry]
            form = adjective.form(noun.gender, phrase.plural)
            if not adjective.first:
                core.append((form, key))
                continue
            if noun.gender == "m" and not phrase.plural and morphology.vowel_start(core[0][0]):
                form = adjective.before_vowel
            core.insert(0, (form, key))
            preceded = True
        out = [*self._determiner(phrase, noun.gender, core[0][0], preceded, negated), *core]
        if phrase.owner:
            out += [("de", phrase.owner_key), *self._phrase(phrase.owner)]
        if phrase.relative:
            word = "qui" if phrase.relative.gap == "subject" else "que"
            out += [(word, phrase.relative.word_key), *self._clause(phrase.relative)]
        return out

    @staticmethod
    def _determiner(phrase: Phrase, gender: str, following: str, preceded: bool, negated: bool) -> list[Token]:
        key = phrase.determiner_key
        kind = phrase.determiner
        if kind == "number":
            number = phrase.number
            return [(str(number) if isinstance(number, int) else number["fr"], key)]
        if kind == "many":
            return [("beaucoup", key), ("de", 0)]
        if kind in ("indefinite", "bare") and negated:
            return [("de", key)]
        if kind == "bare":
            return [("de" if preceded else "des", 0)]
        text = DETERMINERS[kind][2 if phrase.plural else int(gender == "f")]
        if text in BEFORE_VOWEL and morphology.vowel_start(following):
            text = BEFORE_VOWEL[text]
        return [(text, key)]

    def _clause(self, clause: Clause) -> list[Token]:
        time = time_phrase(clause, "fr")
        out: list[Token] = []
        if clause.question:
            if clause.question != "yes-no":
                out = [(QUESTIONS[clause.question], clause.word_key)]
            out += [("est-ce", 0), ("que", 0)]
        elif clause.time_first:
            out, time = time, []
        subject = [] if clause.gap == "subject" else self._phrase(clause.subject)
        if clause.subject.kind == "nobody":
            subject.append(("ne", clause.subject.head_key))
        ne: list[Token] = [("ne", clause.negation_key)] if clause.negation else []
        pas: list[Token] = []
        if clause.negation:
            pas = [("jamais" if clause.negation == "never" else "pas", clause.negation_key)]
        if clause.kind == "existential":
            form = "avait" if clause.tense == "past" else "a"
            out += [("il", clause.word_key), ("y", clause.verb_key), (form, clause.verb_key)]
            return [*out, *self._phrase(clause.subject), *self._place(clause), *time]
        if clause.kind == "copula":
            be = [(morphology.ETRE[clause.tense][clause.subject.person], clause.verb_key | clause.tense_key)]
            return [*out, *subject, *ne, *be, *pas, *self._predicate(clause), *time]
        finite, rest = self._verb_group(clause)
        clitic: list[Token] = []
        item = clause.object if clause.gap != "object" else None
        if item is not None and item.is_pronoun:
            clitic = [(OBJECTS[item.kind], item.head_key)]
            item = None
        if clause.modal:
            out += [*subject, *ne, *finite, *pas, *clitic, *rest]
        else:
            out += [*subject, *ne, *clitic, *finite, *pas, *rest]
        for adverb in (clause.frequency, clause.manner):
            if adverb:
                out.append((adverb.entry["fr"], adverb.key))
        if item is not None:
            preposition = self.verbs[clause.action].preposition
            out += [(preposition, clause.particle_key)] if preposition else []
            out += self._phrase(item, negated=bool(clause.negation))
        if clause.recipient:
            out += [("à", clause.recipient_key), *self._phrase(clause.recipient)]
        return [*out, *self._place(clause), *time]

    def _verb_group(self, clause: Clause) -> tuple[list[Token], list[Token]]:
        """The finite verb and the infinitive or participle after it."""
        verb = self.verbs[clause.action]
        person = clause.subject.person
        whole = clause.verb_key | (0 if verb.preposition else clause.particle_key)
        if clause.modal:
            return [(morphology.MODALS[clause.modal][person], clause.tense_key)], [(verb.infinitive, whole)]
        if clause.tense in ("past", "perfect"):
            agreeing = None
            if verb.etre:
                agreeing = clause.subject
            elif clause.object is not None and (clause.gap == "object" or clause.object.is_pronoun):
                agreeing = clause.object
            form = verb.participle
            if agreeing is not None:
                form = verb.agreeing(self.gender(agreeing), agreeing.person in ("1p", "3p"))
            auxiliary = morphology.ETRE["present"] if verb.etre else morphology.AVOIR
            return [(auxiliary[person], clause.tense_key)], [(form, whole)]
        forms = {"future": verb.future, "past_progressive": verb.imperfect}.get(clause.tense, verb.present)
        return [(forms[person], whole | clause.tense_key)], []

    def _predicate(self, clause: Clause) -> list[Token]:
        assert clause.adjective is not None
        subject = clause.subject
        form = self.adjectives[clause.adjective].form(self.gender(subject), subject.person in ("1p", "3p"))
        out = [(form, clause.particle_key)]
        if clause.standard is None:
            return out
        compared = [("plus", clause.degree_key), *out, ("que", clause.standard_key)]
        return [*compared, *self._phrase(clause.standard)]

    def _place(self, clause: Clause) -> list[Token]:
        place = clause.place
        if place is None:
            return []
        to_or_city = place.direction or place.phrase.kind == "name"
        word = "à" if to_or_city else place.phrase.noun["preposition"].split()[2]
        return [(word, place.key), *self._phrase(place.phrase)]
