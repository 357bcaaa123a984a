"""Links by a link scorer: words against the scorer, and errors."""

import pytest
import torch
from support.links import DIM, SIZES, draw

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.methods import links_of_words
from xalign_fairseq.transport.scored import Scored
from xalign_fairseq.transport.word_states import word_states


@pytest.fixture
def scorer():
    """A scorer of two layers with random parameters."""
    torch.manual_seed(2)
    return LinkScorer(DIM // 2, (1, 3), (1,), rank=4, width=8).eval()


def test_words_are_scored_by_the_network(scorer):
    _, hidden, spans = draw(1)
    hidden = hidden.float()
    src_words = torch.arange(7).div(2, rounding_mode="floor").expand(len(SIZES), -1)
    tgt_words = torch.arange(6).expand(len(SIZES), -1)
    method = Scored(threshold=0.45, measure=scorer)
    sides = [word_states(hidden, spans, side, words, 2) for side, words in enumerate((src_words, tgt_words))]
    expected = scorer.probabilities(*sides)
    found = links_of_words(method, hidden, spans, src_words, tgt_words)
    assert any(found)
    for links, scores in zip(found, expected, strict=True):
        assert set(links) == {tuple(each) for each in (scores >= 0.45).nonzero().tolist()}
        assert all(links[i, j] == pytest.approx(scores[i, j].item()) for i, j in links)


def test_states_of_another_encoder(scorer):
    _, hidden, spans = draw(1)
    with pytest.raises(XalignError, match="another encoder"):
        Scored(measure=scorer)(hidden[..., :4], spans)


@pytest.mark.parametrize("threshold", [0.0, 1.5])
def test_no_such_threshold(threshold):
    with pytest.raises(XalignError, match="probability is out of range"):
        Scored(threshold=threshold)
