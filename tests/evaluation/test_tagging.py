import random
import warnings

import numpy as np
import pytest
from seqeval.metrics import f1_score
from seqeval.metrics.sequence_labeling import get_entities

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.tagging import ENTITY_F1, TOKEN_ACCURACY, XTREME_POS_F1, entities, repair_bio

BIO = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
BIOES = [*BIO, "E-PER", "S-PER", "E-LOC", "S-LOC"]
ODD = [*BIOES, "B", "I", "E", "S", "X", "_", ".", "B-", "I-a-b", "B-a-b", "PER-B", "O-PER"]
UPOS = ["ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"]
UPOS += ["PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X", "_"]


def random_sentences(rng, tags, sentences):
    return [[rng.choice(tags) for _ in range(rng.randint(1, 9))] for _ in range(sentences)]


def changed(rng, sentences, tags, share=0.3):
    return [[rng.choice(tags) if rng.random() < share else tag for tag in sentence] for sentence in sentences]


@pytest.fixture
def quiet():
    with warnings.catch_warnings():  # seqeval warns about tags without a scheme and about empty scores
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("tags", [BIO, BIOES, ODD, UPOS], ids=["bio", "bioes", "odd", "upos"])
def test_entities_are_those_of_seqeval(tags, quiet):
    for sentence in random_sentences(random.Random(1), tags, 500):
        assert entities(sentence) == [(kind, begin, last + 1) for kind, begin, last in get_entities(sentence)]


@pytest.mark.parametrize(
    "metric, tags",
    [(ENTITY_F1, BIO), (ENTITY_F1, BIOES), (ENTITY_F1, ODD), (XTREME_POS_F1, UPOS)],
    ids=["bio", "bioes", "odd", "upos"],
)
def test_f1_is_that_of_seqeval(metric, tags, quiet):
    rng = random.Random(2)
    for size in [1, 2, 5, 40] * 20:
        golds = random_sentences(rng, tags, size)
        predictions = changed(rng, golds, tags)
        found = metric.score(metric.counts(golds, predictions, "de"))
        assert found == pytest.approx(f1_score(golds, predictions), abs=1e-12)


def test_accuracy_by_hand():
    counts = TOKEN_ACCURACY.counts([["DET", "NOUN", "NOUN", "VERB"]], [["DET", "NOUN", "ADJ", "VERB"]], "de")
    assert TOKEN_ACCURACY.score(counts) == 0.75


def test_typed_sentences_count_independently():
    rng = random.Random(3)
    golds = random_sentences(rng, BIOES, 60)
    predictions = changed(rng, golds, BIOES)
    together = ENTITY_F1.counts(golds, predictions, "de")
    pairs = zip(golds, predictions, strict=True)
    assert together.tolist() == [list(ENTITY_F1.count(gold, mine, "de")) for gold, mine in pairs]
    order = rng.sample(range(60), 60)
    shuffled = ENTITY_F1.counts([golds[k] for k in order], [predictions[k] for k in order], "de")
    np.testing.assert_array_equal(shuffled, together[order])


@pytest.mark.parametrize(
    "tags, expected",
    [
        ("O I-PER I-PER O", "O B-PER I-PER O"),
        ("I-PER I-PER I-LOC", "B-PER I-PER B-LOC"),
        ("B-PER I-LOC I-PER", "B-PER B-LOC B-PER"),
        ("INTJ I", "INTJ I"),  # not BIO
        ("B-PER I-PER O B-PER B-PER", "B-PER I-PER O B-PER B-PER"),
    ],
)
def test_repair_by_hand(tags, expected):
    assert repair_bio(tags.split()) == expected.split()


def test_repair_makes_valid_tags_of_the_same_entities():
    rng = random.Random(4)
    broken = 0
    for tags in random_sentences(rng, BIO, 300):
        repaired = repair_bio(tags)
        assert all(
            tag[0] != "I" or (before[0] in "BI" and before[1:] == tag[1:])
            for before, tag in zip(["O", *repaired], repaired, strict=False)
        )
        assert repair_bio(repaired) == repaired and entities(repaired) == entities(tags)
        broken += repaired != tags
    assert broken > 100


@pytest.mark.parametrize("metric", [TOKEN_ACCURACY, ENTITY_F1, XTREME_POS_F1])
def test_every_word_has_a_prediction(metric):
    with pytest.raises(XalignError, match="found: 1 and 2"):
        metric.counts([["O"], ["O", "O"]], [["O"], ["O"]], "de")
