"""Meanings that are drawn: the same for the same stream, of concepts that are all different, and that make sense."""

import random
from dataclasses import fields, is_dataclass

import pytest

from xalign_fairseq.languages.sample.lexicon import Entry, load_lexicon
from xalign_fairseq.languages.sample.meaning import Adverbial, Clause, Location, Message, Phrase
from xalign_fairseq.languages.sample.sampler import ROUND_NUMBERS, Sampler

LEXICON = load_lexicon()


@pytest.fixture(scope="module")
def sentences():
    sampler = Sampler(LEXICON, random.Random("1/de"))
    return [sampler.sentence() for _ in range(4000)]


def parts(part):
    """All phrases, clauses, places and adverbials of a meaning, each once: a relative clause holds its own head."""
    found, known = [], set()

    def look(each):
        if isinstance(each, list | tuple):
            for item in each:
                look(item)
        elif is_dataclass(each) and not isinstance(each, Entry) and id(each) not in known:
            known.add(id(each))
            found.append(each)
            for field in fields(each):
                look(getattr(each, field.name))

    look(part)
    return found


def keys(part):
    """The concepts of one part: adverbials and conjunctions have room for several."""
    if isinstance(part, Adverbial):
        several = 3 if "tenses" in part.entry.cells else 1
        return [part.key << i for i in range(several)]
    found = [getattr(part, field.name) for field in fields(part) if field.name.endswith("key")]
    if isinstance(part, Message):
        found.append(part.conjunction_key << 1)
    if isinstance(part, Phrase):
        found += [key for _, key in part.adjectives]
    return [key for key in found if key]


def clauses(sentences):
    return [part for sentence in sentences for part in parts(sentence) if isinstance(part, Clause)]


def test_the_stream_decides():
    def drawn(seed, count=50):
        sampler = Sampler(LEXICON, random.Random(seed))
        return [[(type(p).__name__, keys(p)) for p in parts(sampler.sentence())] for _ in range(count)]

    assert drawn("1/de") == drawn("1/de")
    assert drawn("1/de") != drawn("2/de")


def test_every_concept_is_one_bit_of_its_own(sentences):
    for sentence in sentences:
        found = [key for part in parts(sentence) for key in keys(part)]
        assert all(key.bit_count() == 1 for key in found)
        assert len(set(found)) == len(found)


def test_verbs_have_the_subjects_and_objects_that_they_ask_for(sentences):
    for clause in clauses(sentences):
        if clause.kind != "verb" or clause.subject.kind == "it":
            continue
        people = {"subject": clause.subject, "object": clause.object}
        for column, phrase in people.items():
            if phrase is not None:
                classes = phrase.noun.classes if phrase.kind == "noun" else ("person",)
                assert set(classes) & set(clause.action[column].split())


def test_adjectives_fit_their_nouns(sentences):
    count = 0
    for phrase in (part for sentence in sentences for part in parts(sentence) if isinstance(part, Phrase)):
        for adjective, _ in phrase.adjectives:
            assert phrase.noun.classes[0] in adjective.classes
            count += 1
    for clause in clauses(sentences):
        if clause.kind == "copula":
            assert set(clause.subject.noun.classes) & set(clause.adjective.classes)
    assert count > 500


def test_questions_ask_for_what_is_not_said_and_deny_nothing(sentences):
    asked = [clause for clause in clauses(sentences) if clause.question]
    assert {clause.question for clause in asked} == {"yes-no", "where", "when", "why"}
    for clause in asked:
        assert clause.subject.kind != "nobody" and not clause.negation
        assert clause.question != "where" or clause.place is None
        assert clause.question != "when" or clause.time is None
    nobody = [clause for clause in clauses(sentences) if clause.subject.kind == "nobody"]
    assert len(nobody) > 20 and not any(clause.negation or clause.modal for clause in nobody)


def test_conditions_are_present_before_a_future(sentences):
    conditions = [sentence for sentence in sentences if sentence.second and sentence.second.conditional]
    assert len(conditions) > 100
    for sentence in conditions:
        assert sentence.first.tense == "future" and sentence.second.tense == "present"
        assert sentence.second.time is None and sentence.second.frequency is None


def test_times_fit_their_tenses_and_number_what_they_count(sentences):
    times = [clause for clause in clauses(sentences) if clause.time]
    assert len(times) > 500
    for clause in times:
        assert clause.tense in clause.time.entry["tenses"].split()
        assert 1900 <= clause.time.year <= 2020 and clause.time.number in ROUND_NUMBERS


def test_pronouns_do_not_act_on_themselves(sentences):
    pairs = {
        (c.subject.kind, c.object.kind) for c in clauses(sentences) if c.object is not None and c.object.is_pronoun
    }
    assert len(pairs) > 10
    assert not any(one == other for one, other in pairs)
    assert not {("I", "we"), ("we", "I")} & pairs


def test_rivers_have_shores_and_goals_are_no_shores(sentences):
    places = [part for sentence in sentences for part in parts(sentence) if isinstance(part, Location)]
    shores = [place for place in places if place.phrase.of]
    assert len(shores) > 50
    for place in shores:
        assert not place.direction and "river" in place.phrase.owner.noun.classes


def test_every_kind_of_sentence_is_drawn(sentences):
    assert {sentence.join for sentence in sentences} == {"", "subordinate", "coordinate", "that"}
    assert {clause.kind for clause in clauses(sentences)} == {"verb", "copula", "existential"}
    assert {clause.gap for clause in clauses(sentences)} == {"", "subject", "object"}
