"""Draws meanings: which verb, who does it to what, when and where, with which adjectives, joined how.

Verbs and adjectives choose among nouns by semantic class, so that the surroundings of a homonym show its sense.
"""

import random
from collections.abc import Sequence
from typing import TypeVar

from xalign_fairseq.languages.sample.lexicon import Entry, SenseLexicon
from xalign_fairseq.languages.sample.meaning import PRONOUNS, Adverbial, Clause, Location, Message, Phrase

T = TypeVar("T")
TENSES = ("present", "progressive", "past", "past", "past_progressive", "perfect", "future")
ROUND_NUMBERS = (15, 20, 25, 30, 40, 50, 60, 80, 100)
"""Numbers in digits; Russian has the genitive plural after each of them."""
FRAMES = ("object",) * 12 + ("recipient",) * 3 + ("place",) * 3 + ("destination",) * 2
THINGS = ("animal", "household", "vehicle", "plant", "person", "box")


class Sampler:
    """Draws sentences from a random stream."""

    def __init__(self, lexicon: SenseLexicon, stream: random.Random):
        self.lexicon = lexicon
        self._random = stream.random
        self._bit = 1
        self._verbs: dict[tuple[str, str], tuple[Entry, ...]] = {}
        self._people = lexicon.by_kind["woman"] + lexicon.by_kind["man"]
        self._predicates = [a for a in lexicon.adjectives if not a["en"].endswith("/!")]
        self._governed = {
            verb
            for verb in lexicon.verbs
            if any("preposition=" in cell or "case=dat" in cell for cell in verb.cells.values())
        }

    def _pick(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]

    def _chance(self, p: float) -> bool:
        return self._random() < p

    def _key(self, count: int = 1) -> int:
        """The first of ``count`` new concepts."""
        key = self._bit
        self._bit <<= count
        return key

    def sentence(self) -> Message:
        """Draw a sentence."""
        self._bit = 1
        roll = self._random()
        if roll < 0.16:
            sentence = self._subordinate()
        elif roll < 0.23:
            sentence = self._condition()
        elif roll < 0.34:
            sentence = Message(self._clause(short=True), "coordinate", self._pick(self.lexicon.by_kind["coordinate"]))
            sentence.second = self._clause(short=True)
        elif roll < 0.44:
            sentence = self._reported()
        elif roll < 0.54:
            sentence = Message(self._question())
        else:
            sentence = Message(self._clause())
        sentence.mark_key, sentence.comma_key = self._key(), self._key()
        sentence.conjunction_key = self._key(2)
        return sentence

    def _subordinate(self) -> Message:
        conjunction = self._pick(self.lexicon.by_kind["subordinate"])
        match conjunction["en"].split("/")[0]:
            case "because":
                first, second = self._pick(TENSES), self._pick(TENSES)
            case "while":
                first = second = self._pick(("progressive", "past_progressive"))
            case _:
                first = second = "past"
        main, reason = self._clause(first, short=True), self._clause(second, short=True)
        if first == second:
            reason.time, reason.time_first = None, False
        because = conjunction["en"].startswith("because")  # its Russian clause never comes first
        return Message(main, "subordinate", conjunction, reason, not because and self._chance(0.5))

    def _condition(self) -> Message:
        second = self._verb_clause("present", short=True) if self._chance(0.8) else self._weather("present")
        second.conditional, second.frequency = True, None
        if second.time or second.negation == "never":
            second.time, second.negation = None, ""
        main = self._verb_clause("future", short=True)
        return Message(main, "subordinate", self.lexicon.by_kind["condition"][0], second, self._chance(0.6))

    def _reported(self) -> Message:
        verb = self._pick(self.lexicon.by_kind["clause"])
        first = Clause("verb", self._subject("person"), verb, self._pick(("present", "past")))
        self._clause_keys(first)
        return Message(first, "that", None, self._clause(short=True))

    def _question(self) -> Clause:
        if self._chance(0.15):
            clause = self._copula("present" if self._chance(0.6) else "past", plain=True)
            clause.question = "yes-no"
            return clause
        clause = self._verb_clause(self._pick(TENSES), plain=True)
        clause.question = "yes-no" if self._chance(0.5) else self._pick(("where", "when", "why"))
        if clause.question == "where":
            clause.place = None
        if clause.question == "when":
            clause.time = None
        clause.time_first = False
        return clause

    def _clause(self, tense: str = "", short: bool = False) -> Clause:
        """Any clause; ``short`` leaves out relative clauses and most adverbials."""
        roll = self._random()
        if roll < 0.14 and tense in ("", "present", "past", "future"):
            return self._copula(tense or self._pick(("present", "present", "past", "future")))
        if roll < 0.19 and tense in ("", "present", "past"):
            return self._existential(tense or self._pick(("present", "past")))
        if roll < 0.23 and tense in ("", "progressive", "past", "future"):
            return self._weather(tense or self._pick(("progressive", "past", "future")))
        return self._verb_clause(tense or self._pick(TENSES), short)

    def _clause_keys(self, clause: Clause) -> Clause:
        clause.verb_key, clause.particle_key, clause.tense_key = self._key(), self._key(), self._key()
        clause.negation_key, clause.word_key, clause.recipient_key = (self._key() for _ in range(3))
        return clause

    def _weather(self, tense: str) -> Clause:
        subject = Phrase("it", head_key=self._key())
        clause = self._clause_keys(Clause("verb", subject, self._pick(self.lexicon.by_kind["weather"]), tense))
        if self._chance(0.6):
            clause.place = self._location(city=True)
        clause.time = self._time(tense) if self._chance(0.4) else None
        return clause

    def _existential(self, tense: str) -> Clause:
        subject = self._noun(self._pick(THINGS), ("indefinite", "number"))
        clause = self._clause_keys(Clause("existential", subject, tense=tense))
        clause.place = self._location()
        return clause

    def _copula(self, tense: str, plain: bool = False) -> Clause:
        adjective = self._pick(self._predicates)
        group = self._pick(adjective.classes)
        subject = self._noun(group, ("definite", "this", "possessive"))
        subject.adjectives = []
        clause = self._clause_keys(Clause("copula", subject, tense=tense, adjective=adjective))
        clause.negation = "not" if not plain and self._chance(0.2) else ""
        comparable = "/" in adjective["ru"] and not adjective["en"].endswith("/-")
        if comparable and not plain and self._chance(0.5):
            clause.degree_key, clause.standard_key = self._key(), self._key()
            clause.standard = self._noun(group, ("definite", "this", "possessive"))
        elif tense != "present" and self._chance(0.4):
            clause.time = self._time(tense)
        return clause

    def _verbs_for(self, frame: str, subject: str) -> tuple[Entry, ...]:
        key = (frame, subject)
        if key not in self._verbs:
            verbs = self.lexicon.by_kind[frame]
            self._verbs[key] = tuple(v for v in verbs if not subject or subject in v["subject"].split())
        return self._verbs[key]

    def _verb_clause(self, tense: str, short: bool = False, plain: bool = False) -> Clause:
        """A clause around a verb; ``plain`` has no negation and no subject "nobody" (for questions)."""
        frame = self._pick(FRAMES)
        verb = self._pick(self._verbs_for(frame, ""))
        if "stative" in verb["frame"] and "progressive" in tense:
            tense = "past" if tense.startswith("past") else "present"
        group = self._pick(verb["subject"].split())
        subject = self._subject(group, related=not short and not plain, nobody=not plain)
        clause = self._clause_keys(Clause("verb", subject, verb, tense))
        roll = self._random()
        if tense == "present" and roll < 0.35 and group == "person" and subject.kind != "nobody":
            clause.modal = self._pick(("can", "must", "want"))
        if not plain and subject.kind != "nobody" and subject.determiner not in ("every", "many", "number"):
            roll = self._random()
            if roll < 0.18:
                clause.negation = "not"
            elif roll < 0.24 and tense in ("present", "perfect") and not clause.modal:
                clause.negation = "never"
        self._fill_object(clause, frame, short or plain)
        self._fill_adverbials(clause, frame, short)
        return clause

    def _fill_object(self, clause: Clause, frame: str, short: bool) -> None:
        verb = clause.action
        if frame not in ("object", "recipient"):
            return
        group = self._pick(verb["object"].split())
        governed = verb in self._governed
        if group == "person" and not governed and self._chance(0.35):
            choices = [p for p in PRONOUNS if p != clause.subject.kind and (p, clause.subject.kind) != ("I", "we")]
            pronoun = self._pick([p for p in choices if (p, clause.subject.kind) != ("we", "I")])
            clause.object = Phrase(pronoun, head_key=self._key())
        elif group == "person" and self._chance(0.2):
            clause.object = self._name()
        else:
            determiners: tuple[str, ...] = ("definite", "definite", "indefinite", "possessive", "this")
            if clause.negation or clause.subject.kind == "nobody":
                plain = governed or clause.negation != "not"
                determiners = ("definite", "possessive") if plain else ("definite", "indefinite")
            elif not governed:
                determiners += ("number",)
            clause.object = self._noun(group, determiners, related=not short and frame == "object")
        clause.particle_last = self._chance(0.5) and clause.object.relative is None and clause.object.owner is None
        if frame == "recipient":
            name = self._chance(0.3)
            clause.recipient = self._name() if name else self._noun("person", ("definite", "possessive"), many=0.15)
            double = "to-only" not in verb["frame"] and "particle=" not in verb["en"]
            clause.recipient_first = double and self._chance(0.5)

    def _fill_adverbials(self, clause: Clause, frame: str, short: bool) -> None:
        free = not clause.negation and not clause.modal and clause.subject.kind != "nobody"
        action = clause.tense != "perfect" and "stative" not in clause.action["frame"]
        if frame == "destination":
            clause.place = self._location(direction=True)
        elif self._chance(0.8 if frame == "place" else 0.12 if short else 0.35) and clause.question != "where":
            clause.place = self._location()
        if not clause.modal and self._chance(0.15 if short else 0.4):
            clause.time = self._time(clause.tense)
            clause.time_first = clause.time is not None and not short and self._chance(0.4)
        if free and clause.tense == "present" and clause.time is None:
            if self._chance(0.4):
                clause.frequency = Adverbial(self._pick(self.lexicon.by_kind["frequency"]), self._key())
        elif free and action and self._chance(0.15):
            clause.manner = Adverbial(self._pick(self.lexicon.by_kind["manner"]), self._key())

    def _time(self, tense: str) -> Adverbial | None:
        times = self.lexicon.times_of.get(tense)
        if not times:
            return None
        year, number = 1900 + int(self._random() * 121), self._pick(ROUND_NUMBERS)
        return Adverbial(self._pick(times), self._key(3), year, number)

    def _location(self, direction: bool = False, city: bool = False) -> Location:
        roll = self._random()
        if city or roll < 0.2:
            phrase = Phrase("name", self._pick(self.lexicon.by_kind["city"]), head_key=self._key())
        elif roll < 0.3 and not direction:
            phrase = self._noun("shore", ("definite",))
            phrase.owner, phrase.of, phrase.owner_key = self._noun("river", ("definite",)), True, self._key()
        else:
            phrase = self._noun(
                "place", ("definite", "definite", "definite", "indefinite", "this", "possessive"), many=0
            )
        return Location(phrase, direction, self._key())

    def _name(self) -> Phrase:
        return Phrase("name", self._pick(self._people), head_key=self._key())

    def _subject(self, group: str, related: bool = False, nobody: bool = False) -> Phrase:
        roll = self._random()
        if group == "person" and roll < 0.2:
            return self._name()
        if group == "person" and roll < 0.42:
            return Phrase(self._pick(PRONOUNS), head_key=self._key())
        if group == "person" and roll < 0.46 and nobody:
            return Phrase("nobody", head_key=self._key())
        kinds = ("definite", "definite", "definite", "indefinite", "possessive", "this", "every", "many", "number")
        return self._noun(group, kinds, related)

    def _noun(self, group: str, determiners: Sequence[str], related: bool = False, many: float = 0.25) -> Phrase:
        """A noun phrase of a class; ``related`` allows a relative clause, ``many`` is the chance of a plural."""
        noun = self._pick(self.lexicon.by_class[group])
        mass = " " not in noun["en"]  # has no plural
        determiner = self._pick(determiners)
        if mass and determiner not in ("definite", "possessive", "this"):
            determiner = "definite"
        plural = not mass and group not in ("shore", "river") and self._chance(many)
        phrase = Phrase("noun", noun, head_key=self._key(), modifier_key=self._key(), determiner_key=self._key())
        if determiner in ("every", "many", "number"):
            plural = determiner != "every"
        if determiner == "indefinite" and plural:
            determiner = "bare"
        if determiner == "number":
            phrase.number = self._pick(self.lexicon.numbers) if self._chance(0.75) else self._pick(ROUND_NUMBERS)
        if group == "body" or determiner == "possessive":
            determiner = self._pick(("my", "his", "her", "our", "their", "owner", "owner"))
        phrase.plural, phrase.determiner = plural, determiner
        if determiner == "owner":
            phrase.owner = self._name() if self._chance(0.4) else self._noun("person", ("definite",), many=0)
            phrase.owner_key = self._key()
        self._add_adjectives(phrase, noun)
        if related and not phrase.owner and determiner in ("definite", "indefinite") and self._chance(0.14):
            phrase.relative = self._relative(phrase, group)
        return phrase

    def _add_adjectives(self, phrase: Phrase, noun: Entry) -> None:
        adjectives = self.lexicon.adjectives_of.get(noun.classes[0], ())
        roll = self._random()
        if not adjectives or noun["en"][0].isupper() or roll > (0.2 if phrase.owner else 0.42):
            return
        first = self._pick(adjectives)
        phrase.adjectives.append((first, self._key()))
        if roll < 0.05:
            second = self._pick(adjectives)
            if second["fr"].endswith("<") != first["fr"].endswith("<"):  # one on each side of a French noun
                phrase.adjectives.append((second, self._key()))

    def _relative(self, head: Phrase, group: str) -> Clause | None:
        """A relative clause in which ``head`` is the subject, if it can act, otherwise the object."""
        tense = self._pick(("present", "past", "past", "perfect", "future"))
        if group == "person" or (group == "animal" and self._chance(0.5)):
            frame = self._pick(("object", "object", "place"))
            verb = self._pick(self._verbs_for(frame, group))
            clause = self._clause_keys(Clause("verb", head, verb, tense, gap="subject"))
            if frame == "object":
                clause.object = self._noun(self._pick(verb["object"].split()), ("definite", "indefinite", "possessive"))
            else:
                clause.place = self._location()
            return clause
        verbs = [v for v in self._verbs_for("object", "person") if group in v["object"].split()]
        verbs = [v for v in verbs if v not in self._governed]
        if not verbs:
            return None
        subject = self._name() if self._chance(0.4) else self._noun("person", ("definite", "possessive"), many=0.2)
        return self._clause_keys(Clause("verb", subject, self._pick(verbs), tense, object=head, gap="object"))
