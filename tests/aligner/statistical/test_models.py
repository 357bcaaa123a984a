import numpy as np
from support.text import SENTENCES, translated

from xalign_fairseq.aligner.statistical import models
from xalign_fairseq.aligner.statistical.folder import learn_model
from xalign_fairseq.aligner.statistical.models import mean_scores
from xalign_fairseq.aligner.statistical.sentences import number_words

PAIRS = [(line.split(), translated(line).split()) for line in SENTENCES]


def learned(name):
    return learn_model(name, number_words(PAIRS * 5))


def test_the_mean_of_models_finds_the_words():
    for src, scores in zip(SENTENCES, mean_scores([learned("prefix4"), learned("pieces2000")], PAIRS), strict=True):
        assert (scores.argmax(0) == np.arange(len(src.split()))).all()
        assert (scores >= 0).all()
        assert (scores <= 1 + 1e-5).all()
    one, other, both = (
        mean_scores([learned(name) for name in names], PAIRS[:1])[0]
        for names in (["prefix4"], ["pieces2000"], ["prefix4", "pieces2000"])
    )
    np.testing.assert_allclose(both, (one + other) / 2, rtol=1e-5)


def test_a_guide_decides_between_unseen_words():
    model = learned("prefix4")
    pairs = [(["Eins", "zwei"], ["Two", "one"])] * 2
    unguided = mean_scores([model], pairs)[0]
    guided, other = mean_scores([model], pairs, [np.array([[0.0, 0.9], [0.9, 0.0]]), None].__getitem__)
    np.testing.assert_allclose(other, unguided, rtol=1e-5)
    assert guided[0, 1] > 2 * guided[0, 0]
    assert guided[1, 0] > 2 * guided[1, 1]
    assert unguided[0, 1] < 1.1 * unguided[0, 0]


def test_the_number_of_cached_words_is_limited(monkeypatch):
    model, pairs = learned("prefix4"), [([f"{letter}word", "das"], ["the"]) for letter in "abcdefgh"]
    expected = mean_scores([learned("prefix4")], pairs)
    monkeypatch.setattr(models, "CACHED_WORDS", 3)
    for pair, scores in zip(pairs, expected, strict=True):
        np.testing.assert_array_equal(mean_scores([model], [pair])[0], scores)
    assert len(model._known[0]) <= 3 + 2
