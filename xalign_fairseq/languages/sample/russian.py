"""Russian: no articles, no present copula, case endings for prepositions, aspect for tense, double negation."""

import re

from xalign_fairseq.languages.sample import russian_morphology as morphology
from xalign_fairseq.languages.sample.lexicon import load_lexicon
from xalign_fairseq.languages.sample.meaning import Clause, Message, Phrase, Token, finish, fixed_phrase, time_phrase

PRONOUNS = {
    "I": {"nom": "я", "acc": "меня", "dat": "мне"},
    "he": {"nom": "он", "acc": "его", "dat": "ему"},
    "she": {"nom": "она", "acc": "её", "dat": "ей"},
    "we": {"nom": "мы", "acc": "нас", "dat": "нам"},
    "they": {"nom": "они", "acc": "их", "dat": "им"},
    "nobody": {"nom": "никто"},
}
FIXED_POSSESSIVES = {"his": "его", "her": "её", "their": "их"}
PRONOMINAL = {"this": morphology.THIS, "my": morphology.MY, "our": morphology.OUR}
QUESTIONS = {"where": "где", "when": "когда", "why": "почему"}
MODALS = {
    "can": {"1s": "могу", "3s": "может", "1p": "можем", "3p": "могут"},
    "want": {"1s": "хочу", "3s": "хочет", "1p": "хотим", "3p": "хотят"},
}
MUST = {"m": "должен", "f": "должна", "n": "должно", "p": "должны"}
WAS = {"m": "был", "f": "была", "n": "было", "p": "были"}
WILL_BE = {"1s": "буду", "3s": "будет", "1p": "будем", "3p": "будут"}
WEATHER_GENDER = "m"
"""Rain and snow, the subjects of weather verbs."""
CLUSTERS = {"в": re.compile("[вф][^аеёиоуыэюя]"), "с": re.compile("[сзшж][^аеёиоуыэюя]")}


class Russian:
    """Says a :class:`Message` in Russian."""

    def __init__(self) -> None:
        lexicon = load_lexicon()
        named = lexicon.nouns + lexicon.places + lexicon.names
        self.nouns = {e: morphology.parse_noun(e["ru"]) for e in named}
        self.modifiers = {
            noun.modifier: morphology.parse_adjective(noun.modifier) for noun in self.nouns.values() if noun.modifier
        }
        self.adjectives = {e: morphology.parse_adjective(e["ru"]) for e in lexicon.adjectives}
        self.verbs = {
            e: (morphology.parse_verb(e["ru_imperfective"]), morphology.parse_verb(e["ru_perfective"]))
            for e in lexicon.verbs
        }
        self.every, self.many, self.which = (morphology.parse_adjective(w) for w in ("каждый", "многий", "который"))

    def say(self, sentence: Message) -> list[Token]:
        """The tokens of a sentence."""
        out = self._clause(sentence.first)
        if sentence.second is not None:
            second = self._clause(sentence.second)
            comma = (",", sentence.comma_key)
            if sentence.join == "that":
                out = [*out, comma, ("что", sentence.conjunction_key), *second]
            else:
                assert sentence.conjunction is not None
                joint = fixed_phrase(sentence.conjunction["ru"], sentence.conjunction_key)
                joined = [*joint, *second]
                out = [*joined, comma, *out] if sentence.second_first else [*out, comma, *joined]
        out.append(("?" if sentence.first.question else ".", sentence.mark_key))
        for i in range(len(out) - 1):
            text, keys = out[i]
            if text in CLUSTERS and CLUSTERS[text].match(out[i + 1][0].lower()):
                out[i] = (text + "о", keys)
        return finish(out)

    def agreement(self, phrase: Phrase) -> str:
        """m, f, n, or p for a plural."""
        if phrase.person in ("1p", "3p"):
            return "p"
        if phrase.kind in ("noun", "name"):
            return self.nouns[phrase.noun].gender
        return "f" if phrase.kind == "she" else "m"

    def _phrase(self, phrase: Phrase, case: str) -> list[Token]:
        if phrase.kind == "name":
            return [(self.nouns[phrase.noun].singular[case], phrase.head_key)]
        if phrase.kind == "it":
            return []
        if phrase.kind != "noun":
            return [(PRONOUNS[phrase.kind][case], phrase.head_key)]
        noun = self.nouns[phrase.noun]
        plural, head_case, gender = phrase.plural, case, "p" if phrase.plural else noun.gender
        adjective_case = case
        out: list[Token] = []
        if phrase.determiner == "number":
            numeral, plural, head_case, adjective_case = self._number(phrase, noun, case)
            out.append(numeral)
        else:
            out += self._determiner(phrase, noun, case, gender)
        for entry, key in phrase.adjectives:
            out.append((self.adjectives[entry].form(gender, adjective_case, noun.animate), key))
        if noun.modifier:
            form = self.modifiers[noun.modifier].form(gender, adjective_case, noun.animate)
            out.append((form, phrase.modifier_key))
        form = (noun.plural if plural else noun.singular)[head_case]
        split = noun.modifier and "_" in phrase.noun["en"]
        out.append((form, phrase.head_key | (0 if split else phrase.modifier_key)))
        if phrase.owner:
            out += self._phrase(phrase.owner, "gen")
        if phrase.relative:
            role = "nom" if phrase.relative.gap == "subject" else "acc"
            which = self.which.form(self.agreement(phrase), role, noun.animate)
            out += [(",", 0), (which, phrase.relative.word_key), *self._clause(phrase.relative), (",", 0)]
        return out

    @staticmethod
    def _number(phrase: Phrase, noun: morphology.RussianNoun, case: str) -> tuple[Token, bool, str, str]:
        """The numeral, whether the noun is plural, the noun's case and the adjectives' case."""
        number = phrase.number
        if isinstance(number, int):
            return (str(number), phrase.determiner_key), True, "gen", "gen"
        value = int(number["value"])
        if value > 4:
            return (number["ru"], phrase.determiner_key), True, "gen", "gen"
        if case == "acc" and noun.animate:
            return (morphology.ANIMATE_NUMERALS[value], phrase.determiner_key), True, "gen", "gen"
        feminine = noun.gender == "f"
        text = "две" if value == 2 and feminine else morphology.NUMERALS[value]
        return (text, phrase.determiner_key), False, "gen", "nom" if feminine else "gen"

    def _determiner(self, phrase: Phrase, noun: morphology.RussianNoun, case: str, gender: str) -> list[Token]:
        key, kind = phrase.determiner_key, phrase.determiner
        if kind in FIXED_POSSESSIVES:
            return [(FIXED_POSSESSIVES[kind], key)]
        if kind in PRONOMINAL:
            if case == "acc" and gender in "mp":
                case = "gen" if noun.animate else "nom"
            return [(PRONOMINAL[kind][gender][case], key)]
        if kind in ("every", "many"):
            return [((self.every if kind == "every" else self.many).form(gender, case, noun.animate), key)]
        return []

    def _clause(self, clause: Clause) -> list[Token]:
        time = time_phrase(clause, "ru")
        out: list[Token] = []
        if clause.question not in ("", "yes-no"):
            out = [(QUESTIONS[clause.question], clause.word_key)]
        if clause.time_first:
            out, time = [*out, *time], []
        subject = [] if clause.gap == "subject" else self._phrase(clause.subject, "nom")
        if clause.kind == "existential":
            is_there = WAS[self.agreement(clause.subject)] if clause.tense == "past" else "есть"
            return [*out, *self._place(clause), (is_there, clause.verb_key), *subject, *time]
        no: list[Token] = [("не", clause.negation_key)] if clause.negation else []
        if clause.negation == "never":
            no = [("никогда", clause.negation_key), *no]
        if clause.subject.kind == "nobody":
            no = [("не", clause.subject.head_key)]
        if clause.kind == "copula":
            return [*out, *self._copula(clause, subject, no), *time]
        finite, rest = self._verb_group(clause)
        before: list[Token] = [(a.entry["ru"], a.key) for a in (clause.frequency, clause.manner) if a]
        if clause.question == "yes-no":
            out += [*finite, ("ли", 0), *subject, *before, *rest]
        elif rest:
            out += [*subject, *no, *finite, *before, *rest]
        else:
            out += [*subject, *before, *no, *finite]
        return [*out, *self._complements(clause), *self._place(clause), *time]

    def _verb(self, clause: Clause) -> morphology.RussianVerb:
        """The aspect: imperfective for what goes on or is repeated or must not be, perfective for what is completed."""
        imperfective, perfective = self.verbs[clause.action]
        ongoing = clause.tense in ("present", "progressive", "past_progressive") and not clause.conditional
        if clause.modal:
            ongoing = clause.modal == "must" and bool(clause.negation)
        elif clause.tense == "past" and clause.negation and "place" in clause.action["frame"]:
            ongoing = True
        return imperfective if ongoing or clause.negation == "never" else perfective

    def _verb_group(self, clause: Clause) -> tuple[list[Token], list[Token]]:
        verb = self._verb(clause)
        person, gender = clause.subject.person, self.agreement(clause.subject)
        whole = clause.verb_key | (0 if verb.preposition else clause.particle_key)
        if clause.modal:
            modal = MUST[gender] if clause.modal == "must" else MODALS[clause.modal][person]
            return [(modal, clause.tense_key)], [(verb.infinitive, whole)]
        past = clause.tense in ("past", "past_progressive", "perfect")
        keys = whole | clause.tense_key
        if verb.subject:
            form = verb.past[WEATHER_GENDER] if past else verb.present["3s"]
            return [(form, keys), (verb.subject, keys)], []
        return [(verb.past[gender] if past else verb.present[person], keys)], []

    def _complements(self, clause: Clause) -> list[Token]:
        verb = self._verb(clause)
        out = self._phrase(clause.recipient, "dat") if clause.recipient else []
        if clause.object is not None and clause.gap != "object":
            out += [(verb.preposition, clause.particle_key)] if verb.preposition else []
            out += self._phrase(clause.object, verb.case)
        return out

    def _copula(self, clause: Clause, subject: list[Token], no: list[Token]) -> list[Token]:
        assert clause.adjective is not None
        adjective, gender = self.adjectives[clause.adjective], self.agreement(clause.subject)
        case = "nom" if clause.tense == "present" else "ins"
        if clause.standard is None:
            predicate = [(adjective.form(gender, case, False), clause.particle_key)]
        else:
            predicate = [(adjective.comparative, clause.degree_key | clause.particle_key), (",", 0)]
            predicate += [("чем", clause.standard_key), *self._phrase(clause.standard, "nom")]
        be: list[Token] = []
        if clause.tense == "past":
            be = [(WAS[gender], clause.verb_key)]
        elif clause.tense == "future":
            be = [(WILL_BE[clause.subject.person], clause.verb_key | clause.tense_key)]
        if clause.question == "yes-no":
            return [*(be or predicate), ("ли", 0), *subject, *(predicate if be else [])]
        return [*subject, *no, *be, *predicate]

    def _place(self, clause: Clause) -> list[Token]:
        place = clause.place
        if place is None:
            return []
        word = "в" if place.phrase.kind == "name" else place.phrase.noun["preposition"].split()[3]
        case = "acc" if place.direction else "gen" if word == "у" else "loc"
        return [(word, place.key), *self._phrase(place.phrase, case)]
