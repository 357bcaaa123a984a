import random

import pytest

from xalign_fairseq.languages.sample.meaning import Sampler


@pytest.fixture(scope="module")
def sentences():
    sampler = Sampler(random.Random("1/de"))
    return [sampler.sentence() for _ in range(2000)]


@pytest.fixture(scope="module")
def clauses(sentences):
    return [each for sentence in sentences for each in (sentence.first, sentence.second) if each]


def phrases(clause):
    return [phrase for phrase in (clause.subject, clause.object, clause.place) if phrase]


def test_every_concept_has_its_own_bit(sentences):
    for sentence in sentences:
        found = [sentence.mark[1], *(sentence.key << i for i in range(1, 5) if sentence.second)]
        for clause in (each for each in (sentence.first, sentence.second) if each):
            found += [clause.action, clause.particle, clause.time, clause.no, clause.where]
            found += [key for each in phrases(clause) for key in (each.head, each.modifier, each.article, each.quality)]
            found += {keys for _, keys in clause.when["en"] if keys} if clause.when else []
        assert all(key.bit_count() == 1 for key in found) and len(set(found)) == len(found)


def test_verbs_and_adjectives_have_matching_nouns(clauses):
    for clause in clauses:
        for column, phrase in (("subject", clause.subject), ("object", clause.object)):
            if phrase is not None:
                classes = phrase.entry["classes"].split() if phrase.kind == "noun" else ["person"]
                assert set(classes) & set(clause.verb[column].split())
        for phrase in phrases(clause):
            if phrase.adjective:
                assert phrase.entry["classes"].split()[0] in phrase.adjective["classes"].split()


def test_every_kind_of_clause_is_drawn(sentences, clauses):
    joined = {sentence.conjunction["kind"] for sentence in sentences if sentence.conjunction}
    assert joined == {"clause", "subordinate", "coordinate"}
    assert {clause.tense for clause in clauses} == {"present", "past", "perfect", "future"}
    for name in ("negated", "question", "object", "place", "goes", "when", "time_first"):
        assert {bool(getattr(clause, name)) for clause in clauses} == {True, False}
    assert not any(clause.question and clause.negated for clause in clauses)
