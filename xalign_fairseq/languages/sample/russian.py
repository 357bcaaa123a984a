"""Russian: no articles, no present copula, case endings for prepositions, aspect for tense, double negation."""

import re
from dataclasses import dataclass

from xalign_fairseq.languages.sample.lexicon import load_lexicon
from xalign_fairseq.languages.sample.meaning import Clause, Phrase, Token, time_phrase
from xalign_fairseq.languages.sample.realiser import NOUNS, VERBS, Realiser, Word, parse

PRONOUNS = {
    "I": {"nom": "я", "acc": "меня", "dat": "мне"},
    "he": {"nom": "он", "acc": "его", "dat": "ему"},
    "she": {"nom": "она", "acc": "её", "dat": "ей"},
    "we": {"nom": "мы", "acc": "нас", "dat": "нам"},
    "they": {"nom": "они", "acc": "их", "dat": "им"},
    "nobody": {"nom": "никто"},
}
FIXED_POSSESSIVES = {"his": "его", "her": "её", "their": "их"}
QUESTIONS = {"where": "где", "when": "когда", "why": "почему"}
MODALS = {
    "can": {"1s": "могу", "3s": "может", "1p": "можем", "3p": "могут"},
    "want": {"1s": "хочу", "3s": "хочет", "1p": "хотим", "3p": "хотят"},
}
MUST = {"m": "должен", "f": "должна", "n": "должно", "p": "должны"}
WAS = {"m": "был", "f": "была", "n": "было", "p": "были"}
WILL_BE = {"1s": "буду", "3s": "будет", "1p": "будем", "3p": "будут"}
CLUSTERS = {"в": re.compile("[вф][^аеёиоуыэюя]"), "с": re.compile("[сзшж][^аеёиоуыэюя]")}
CASES = ("nom", "gen", "dat", "acc", "ins", "loc")
SIBILANTS = "жшчщ"
HARD = {
    "m": ["ый", "ого", "ому", "-", "ым", "ом"],
    "f": ["ая", "ой", "ой", "ую", "ой", "ой"],
    "n": ["ое", "ого", "ому", "ое", "ым", "ом"],
    "p": ["ые", "ых", "ым", "-", "ыми", "ых"],
}
SOFT = {
    "m": ["ий", "его", "ему", "-", "им", "ем"],
    "f": ["яя", "ей", "ей", "юю", "ей", "ей"],
    "n": ["ее", "его", "ему", "ее", "им", "ем"],
    "p": ["ие", "их", "им", "-", "ими", "их"],
}
NUMERALS = {2: "два", 3: "три", 4: "четыре"}
ANIMATE_NUMERALS = {2: "двух", 3: "трёх", 4: "четырёх"}


@dataclass(frozen=True, slots=True)
class Declined:
    """An adjective or pronoun: forms by gender (``p`` for a plural) and case, and its comparative."""

    forms: dict[str, list[str]]
    comparative: str = ""

    def form(self, gender: str, case: str, animate: bool) -> str:
        if case == "acc" and gender in "mp":
            case = "gen" if animate else "nom"
        return self.forms[gender][CASES.index(case)]


def parse_adjective(cell: str) -> Declined:
    """The forms of a cell ``nominative[/comparative]``."""
    word, _, comparative = cell.partition("/")
    stem, ending = word[:-2], word[-2:]
    forms = SOFT if ending == "ий" and stem.endswith("н") else HARD
    if stem[-1] in SIBILANTS + "кгх":
        forms = {gender: [e.replace("ы", "и") for e in endings] for gender, endings in forms.items()}
    if stem[-1] in SIBILANTS and ending == "ий":
        forms = {gender: ["е" + e[1:] if e[0] == "о" else e for e in endings] for gender, endings in forms.items()}
    forms = {gender: [stem + e for e in endings] for gender, endings in forms.items()}
    forms["m"][0] = word
    return Declined(forms, comparative)


PRONOMINAL = {
    "this": Declined(
        {
            "m": ["этот", "этого", "этому", "-", "этим", "этом"],
            "f": ["эта", "этой", "этой", "эту", "этой", "этой"],
            "n": ["это", "этого", "этому", "это", "этим", "этом"],
            "p": ["эти", "этих", "этим", "-", "этими", "этих"],
        }
    ),
    "my": Declined(
        {
            "m": ["мой", "моего", "моему", "-", "моим", "моём"],
            "f": ["моя", "моей", "моей", "мою", "моей", "моей"],
            "n": ["моё", "моего", "моему", "моё", "моим", "моём"],
            "p": ["мои", "моих", "моим", "-", "моими", "моих"],
        }
    ),
    "our": Declined(
        {
            "m": ["наш", "нашего", "нашему", "-", "нашим", "нашем"],
            "f": ["наша", "нашей", "нашей", "нашу", "нашей", "нашей"],
            "n": ["наше", "нашего", "нашему", "наше", "нашим", "нашем"],
            "p": ["наши", "наших", "нашим", "-", "нашими", "наших"],
        }
    ),
    "every": parse_adjective("каждый"),
    "many": parse_adjective("многий"),
}
WHICH = parse_adjective("который")


class Russian(Realiser):
    """Says a :class:`Message` in Russian."""

    language = "ru"
    that = "что"
    comma_before = ("что", "потому", "пока", "как", "когда", "если", "и", "но")

    def __init__(self) -> None:
        super().__init__()
        lexicon = load_lexicon()
        self.nouns |= {entry: parse(entry["ru"], NOUNS["ru"]) for entry in lexicon.names}
        self.declined = {entry: parse_adjective(entry["ru"]) for entry in lexicon.adjectives}
        modifiers = {noun.mark("modifier") for noun in self.nouns.values()} - {""}
        self.modifiers = {modifier: parse_adjective(modifier) for modifier in modifiers}
        self.perfective, self.imperfective = (
            {entry: parse(entry[f"ru_{aspect}"], VERBS["ru"]) for entry in lexicon.verbs}
            for aspect in ("perfective", "imperfective")
        )

    def _smooth(self, tokens: list[Token]) -> list[Token]:
        for i, (text, keys) in enumerate(tokens[:-1]):
            if text in CLUSTERS and CLUSTERS[text].match(tokens[i + 1][0].lower()):
                tokens[i] = (text + "о", keys)
        return tokens

    def agreement(self, phrase: Phrase) -> str:
        """m, f, n, or p for a plural."""
        if phrase.person in ("1p", "3p"):
            return "p"
        if phrase.kind in ("noun", "name"):
            return self.nouns[phrase.noun].mark("gender")
        return "f" if phrase.kind == "she" else "m"

    def _phrase(self, phrase: Phrase, case: str) -> list[Token]:
        if phrase.kind == "name":
            return [(self.nouns[phrase.noun]["s." + case], phrase.head_key)]
        if phrase.kind == "it":
            return []
        if phrase.kind != "noun":
            return [(PRONOUNS[phrase.kind][case], phrase.head_key)]
        noun = self.nouns[phrase.noun]
        plural, head_case, gender = phrase.plural, case, "p" if phrase.plural else noun.mark("gender")
        adjective_case = case
        out: list[Token] = []
        if phrase.determiner == "number":
            numeral, plural, head_case, adjective_case = self._counted(phrase, noun, case)
            out.append(numeral)
        else:
            out += self._determiner(phrase, noun, case, gender)
        modifier, animate = noun.mark("modifier"), bool(noun.mark("animate"))
        declined = [(self.declined[entry], key) for entry, key in phrase.adjectives]
        declined += [(self.modifiers[modifier], phrase.modifier_key)] if modifier else []
        out += [(each.form(gender, adjective_case, animate), key) for each, key in declined]
        split = modifier and "_" in phrase.noun["en"]
        form = noun[f"{'p' if plural else 's'}.{head_case}"]
        out.append((form, phrase.head_key | (0 if split else phrase.modifier_key)))
        if phrase.owner:
            out += self._phrase(phrase.owner, "gen")
        if phrase.relative:
            role = "nom" if phrase.relative.gap == "subject" else "acc"
            which = WHICH.form(self.agreement(phrase), role, animate)
            out += [(",", 0), (which, phrase.relative.word_key), *self._clause(phrase.relative), (",", 0)]
        return out

    def _counted(self, phrase: Phrase, noun: Word, case: str) -> tuple[Token, bool, str, str]:
        """The numeral, whether the noun is plural, the noun's case and the adjectives' case."""
        value = phrase.number if isinstance(phrase.number, int) else int(phrase.number["value"])
        if value > 4:
            return self._number(phrase), True, "gen", "gen"
        if case == "acc" and noun.mark("animate"):
            return (ANIMATE_NUMERALS[value], phrase.determiner_key), True, "gen", "gen"
        feminine = noun.mark("gender") == "f"
        text = "две" if value == 2 and feminine else NUMERALS[value]
        return (text, phrase.determiner_key), False, "gen", "nom" if feminine else "gen"

    def _determiner(self, phrase: Phrase, noun: Word, case: str, gender: str) -> list[Token]:
        key, kind = phrase.determiner_key, phrase.determiner
        if kind in FIXED_POSSESSIVES:
            return [(FIXED_POSSESSIVES[kind], key)]
        if kind in PRONOMINAL:
            return [(PRONOMINAL[kind].form(gender, case, bool(noun.mark("animate"))), key)]
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
        before = self._adverbs(clause)
        if clause.question == "yes-no":
            out += [*finite, ("ли", 0), *subject, *before, *rest]
        elif rest:
            out += [*subject, *no, *finite, *before, *rest]
        else:
            out += [*subject, *before, *no, *finite]
        return [*out, *self._complements(clause), *self._place(clause), *time]

    def _verb(self, clause: Clause) -> Word:
        """The aspect: imperfective for what goes on or is repeated or must not be, perfective for what is completed."""
        ongoing = clause.tense in ("present", "progressive", "past_progressive") and not clause.conditional
        if clause.modal:
            ongoing = clause.modal == "must" and bool(clause.negation)
        elif clause.tense == "past" and clause.negation and "place" in clause.action["frame"]:
            ongoing = True
        return (self.imperfective if ongoing or clause.negation == "never" else self.perfective)[clause.action]

    def _verb_group(self, clause: Clause) -> tuple[list[Token], list[Token]]:
        verb = self._verb(clause)
        person, gender = clause.subject.person, self.agreement(clause.subject)
        whole = clause.verb_key | (0 if verb.mark("preposition") else clause.particle_key)
        if clause.modal:
            modal = MUST[gender] if clause.modal == "must" else MODALS[clause.modal][person]
            return [(modal, clause.tense_key)], [(verb["infinitive"], whole)]
        past = clause.tense in ("past", "past_progressive", "perfect")
        keys = whole | clause.tense_key
        if verb.mark("subject"):
            return [(verb["past.m" if past else "present.3s"], keys), (verb.mark("subject"), keys)], []
        return [(verb[f"past.{gender}" if past else f"present.{person}"], keys)], []

    def _complements(self, clause: Clause) -> list[Token]:
        verb = self._verb(clause)
        out = self._phrase(clause.recipient, "dat") if clause.recipient else []
        if clause.object is not None and clause.gap != "object":
            out += [(verb.mark("preposition"), clause.particle_key)] if verb.mark("preposition") else []
            out += self._phrase(clause.object, verb.mark("case", "acc"))
        return out

    def _copula(self, clause: Clause, subject: list[Token], no: list[Token]) -> list[Token]:
        assert clause.adjective is not None
        adjective, gender = self.declined[clause.adjective], self.agreement(clause.subject)
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
