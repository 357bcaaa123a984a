"""French: adjectives after the noun, pronouns before the verb, ne ... pas around it, elision and contraction.

An elided article is a token of its own: ``l' école``.
"""

from xalign_fairseq.languages.sample.meaning import Clause, Phrase, Token, time_phrase
from xalign_fairseq.languages.sample.realiser import Realiser, by_person, merged

SUBJECTS = {"I": "je", "he": "il", "she": "elle", "we": "nous", "they": "ils", "nobody": "personne", "it": "il"}
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


ASPIRATED = {"hache", "héro", "hibou", "hérisson", "huit", "onze"}
ELIDED = {"le": "l'", "la": "l'", "de": "d'", "que": "qu'", "ne": "n'", "je": "j'", "me": "m'"}
CONTRACTIONS = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
AVOIR = by_person("ai a avons ont")
ETRE = {
    "present": by_person("suis est sommes sont"),
    "past": by_person("étais était étions étaient"),
    "future": by_person("serai sera serons seront"),
}
MODALS = {
    "can": by_person("peux peut pouvons peuvent"),
    "must": by_person("dois doit devons doivent"),
    "want": by_person("veux veut voulons veulent"),
}


def vowel_start(word: str) -> bool:
    """Whether a word makes the one before it drop its vowel (mute h included)."""
    return word[0].lower() in "aeiouyhàâéèêëîïôœû" and word.lower().rstrip("sx") not in ASPIRATED


class French(Realiser):
    """Says a :class:`Message` in French."""

    language = "fr"
    that = "que"
    comma_before = ("mais",)

    def _smooth(self, tokens: list[Token]) -> list[Token]:
        """Elision from the right (de le ami: de l' ami), then contraction of prepositions with articles."""
        for i in range(len(tokens) - 2, -1, -1):
            text, following = tokens[i][0], tokens[i + 1][0]
            if text in ELIDED and vowel_start(following):
                tokens[i] = (ELIDED[text], tokens[i][1])
            elif text == "si" and following in ("il", "ils"):
                tokens[i] = ("s'", tokens[i][1])
        return merged(tokens, CONTRACTIONS)

    def agreement(self, phrase: Phrase) -> str:
        """sm, sf, pm or pf: what adjectives and participles agree with."""
        feminine = phrase.kind == "she" or (phrase.kind == "name" and phrase.noun["kind"] == "woman")
        gender = self.nouns[phrase.noun].mark("gender") if phrase.kind == "noun" else "f" if feminine else "m"
        return ("p" if phrase.person in ("1p", "3p") else "s") + gender

    def _phrase(self, phrase: Phrase, negated: bool = False) -> list[Token]:
        """A noun phrase; an indefinite article becomes "de" where ``negated``."""
        if phrase.kind == "name":
            return [(phrase.noun["fr"], phrase.head_key)]
        if phrase.kind != "noun":
            return [(SUBJECTS[phrase.kind], phrase.head_key)]
        noun = self.nouns[phrase.noun]
        number, gender = "p" if phrase.plural else "s", noun.mark("gender")
        core: list[Token] = [(noun[number], phrase.head_key | (0 if noun.mark("link") else phrase.modifier_key))]
        if noun.mark("link"):
            core += [(noun.mark("link"), 0), (noun.mark("modifier"), phrase.modifier_key)]
        preceded = False
        for entry, key in phrase.adjectives:
            adjective = self.adjectives[entry]
            form = adjective[number + gender]
            if not entry["fr"].endswith("<"):
                core.append((form, key))
                continue
            if number + gender == "sm" and vowel_start(core[0][0]):
                form = adjective["before-vowel"]
            core.insert(0, (form, key))
            preceded = True
        out = [*self._determiner(phrase, gender, core[0][0], preceded, negated), *core]
        if phrase.owner:
            out += [("de", phrase.owner_key), *self._phrase(phrase.owner)]
        if phrase.relative:
            word = "qui" if phrase.relative.gap == "subject" else "que"
            out += [(word, phrase.relative.word_key), *self._clause(phrase.relative)]
        return out

    def _determiner(self, phrase: Phrase, gender: str, following: str, preceded: bool, negated: bool) -> list[Token]:
        key = phrase.determiner_key
        kind = phrase.determiner
        if kind == "number":
            return [self._number(phrase)]
        if kind == "many":
            return [("beaucoup", key), ("de", 0)]
        if kind in ("indefinite", "bare") and negated:
            return [("de", key)]
        if kind == "bare":
            return [("de" if preceded else "des", 0)]
        text = DETERMINERS[kind][2 if phrase.plural else int(gender == "f")]
        if text in BEFORE_VOWEL and vowel_start(following):
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
            be = [(ETRE[clause.tense][clause.subject.person], clause.verb_key | clause.tense_key)]
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
        out += self._adverbs(clause)
        if item is not None:
            preposition = self.verbs[clause.action].mark("preposition")
            out += [(preposition, clause.particle_key)] if preposition else []
            out += self._phrase(item, negated=bool(clause.negation))
        if clause.recipient:
            out += [("à", clause.recipient_key), *self._phrase(clause.recipient)]
        return [*out, *self._place(clause), *time]

    def _verb_group(self, clause: Clause) -> tuple[list[Token], list[Token]]:
        """The finite verb and the infinitive or participle after it."""
        verb = self.verbs[clause.action]
        person = clause.subject.person
        whole = clause.verb_key | (0 if verb.mark("preposition") else clause.particle_key)
        if clause.modal:
            return [(MODALS[clause.modal][person], clause.tense_key)], [(verb["infinitive"], whole)]
        if clause.tense in ("past", "perfect"):
            etre, agreement = verb.mark("auxiliary"), "sm"
            if etre:
                agreement = self.agreement(clause.subject)
            elif clause.object is not None and (clause.gap == "object" or clause.object.is_pronoun):
                agreement = self.agreement(clause.object)
            auxiliary = ETRE["present"] if etre else AVOIR
            return [(auxiliary[person], clause.tense_key)], [(verb[agreement], whole)]
        tense = {"future": "future", "past_progressive": "imperfect"}.get(clause.tense, "present")
        return [(verb[f"{tense}.{person}"], whole | clause.tense_key)], []

    def _predicate(self, clause: Clause) -> list[Token]:
        assert clause.adjective is not None
        out = [(self.adjectives[clause.adjective][self.agreement(clause.subject)], clause.particle_key)]
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
