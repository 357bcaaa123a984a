"""Scores of words from posteriors of units."""

import numpy as np
import pytest
import torch
from support.text import SENTENCES, translated

from xalign_fairseq.aligner.statistical import batches as batching
from xalign_fairseq.aligner.statistical import models
from xalign_fairseq.aligner.statistical.chain import Posteriors
from xalign_fairseq.aligner.statistical.learning import learn
from xalign_fairseq.aligner.statistical.models import UnitModel, mean_scores
from xalign_fairseq.aligner.statistical.units import Cutter, make_units

PAIRS = [(line.split(), translated(line).split()) for line in SENTENCES]


def learned(name):
    cutters = tuple(Cutter(make_units(name, (pair[side] for pair in PAIRS))) for side in (0, 1))
    sides = [[cutter(pair[side])[0] for pair in PAIRS * 5] for side, cutter in enumerate(cutters)]
    return UnitModel(name, cutters, learn(*sides))


def test_posteriors_of_units_become_scores_of_words_by_hand(monkeypatch):
    """Source a-b (units a, -, b) and c, target x: p(c | x) = 1/4, p(a, -, b | x) = 1/8, 1/8, 1/2."""
    model = learned("word")
    to_src = torch.tensor([[[1 / 8, 1 / 8, 1 / 2, 1 / 4]]])  # (M, B, N)
    to_tgt = torch.tensor([0.0, 0.3, 0.9, 0.5])[:, None, None]  # (N, B, M)
    monkeypatch.setattr(models, "both_directions", lambda *_: (Posteriors(to_src, to_src), Posteriors(to_tgt, to_tgt)))
    [(line, scores)] = model.word_scores([(["a-b", "c"], ["x"])])
    assert line == 0
    np.testing.assert_allclose(scores, [[(3 / 4 + 0.4) / 2], [(1 / 4 + 0.5) / 2]], rtol=1e-6)


def test_the_mean_of_models_finds_the_words():
    for src, scores in zip(SENTENCES, mean_scores([learned("word"), learned("prefix2")], PAIRS), strict=True):
        assert (scores.argmax(0) == np.arange(len(src.split()))).all()
        assert (scores >= 0).all()
        assert (scores <= 1 + 1e-5).all()
    one, other, both = (
        mean_scores([learned(name) for name in names], PAIRS[:1])[0]
        for names in (["word"], ["prefix2"], ["word", "prefix2"])
    )
    np.testing.assert_allclose(both, (one + other) / 2, rtol=1e-5)


def test_a_guide_decides_between_words_that_the_text_has_not():
    model = learned("word")
    pairs = [(["Eins", "zwei"], ["Two", "one"])] * 2
    unguided = mean_scores([model], pairs)[0]
    guided, other = mean_scores([model], pairs, [np.array([[0.0, 0.9], [0.9, 0.0]]), None].__getitem__)
    np.testing.assert_allclose(other, unguided, rtol=1e-5)
    assert guided[0, 1] > 2 * guided[0, 0]
    assert guided[1, 0] > 2 * guided[1, 1]
    assert unguided[0, 1] < 1.1 * unguided[0, 0]


@pytest.mark.filterwarnings("error")
def test_an_empty_word_has_no_score():
    [scores] = mean_scores([learned("word")], [(["das", ""], ["the", "house"])])
    assert scores[1].tolist() == [0, 0] and scores[0, 0] > 0


def test_empty_sides_and_pairs_that_are_too_long(monkeypatch):
    model = learned("word")
    empty, usual = mean_scores([model], [([], ["the"]), PAIRS[0]])
    assert empty.shape == (0, 1)
    monkeypatch.setattr(batching, "MOST_CELLS", 4)
    short, long = mean_scores([model], [(["das"], ["the"]), PAIRS[0]])
    assert long is None
    assert short.shape == (1, 1)
    assert usual.shape == (4, 4)
