import pytest
import torch
from support.links import DIM, draw_words

from xalign_fairseq.transport import link_scorer
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.pair_features import PairFeatures, WordStates

SIZES = [(3, 4), (6, 2), (1, 1)]
LAYERS = (2, 5, 6)


@pytest.fixture
def scorer():
    """A scorer with random parameters and well-separated scores."""
    torch.manual_seed(1)
    made = LinkScorer(DIM, LAYERS, (5, 6), rank=4, width=8).eval()
    for parameter in made.rounds.parameters():
        parameter.data.mul_(3)
    return made


def test_source_and_target_can_be_swapped(scorer):
    src, tgt = draw_words(SIZES, len(LAYERS))
    scorer.fit_scale(scorer.features(src, tgt).rows(slice(None)).flatten(0, 2))
    there, back = scorer.probabilities(src, tgt), scorer.probabilities(tgt, src)
    torch.testing.assert_close(there, back.mT)
    assert there[0, :3, :4].std() > 0.01


def test_padding_and_other_pairs_change_nothing(scorer):
    src, tgt = draw_words(SIZES, len(LAYERS))
    found = scorer.probabilities(src, tgt)
    for row, (n, m) in enumerate(SIZES):
        sides = (
            WordStates(each.states[row : row + 1, :size], each.tokens[row : row + 1, :size])
            for each, size in ((src, n), (tgt, m))
        )
        torch.testing.assert_close(scorer.probabilities(*sides)[0], found[row, :n, :m])
        assert not found[row, n:].any() and not found[row, :, m:].any()


def test_chunks_of_rows_give_the_same_scores_and_one_chunk_is_read_once(scorer, monkeypatch):
    src, tgt = draw_words(SIZES, len(LAYERS))
    read, rows = [], PairFeatures.rows
    monkeypatch.setattr(PairFeatures, "rows", lambda self, at: (read.append(at), rows(self, at))[1])
    found = scorer.probabilities(src, tgt)
    assert len(read) == 1
    monkeypatch.setattr(link_scorer, "PAIRS_AT_ONCE", 13)
    torch.testing.assert_close(scorer.probabilities(src, tgt), found)
    assert len(read) > 3


def test_the_second_round_by_plain_loops(scorer):
    src, tgt = draw_words([(3, 4)], len(LAYERS))
    scores = scorer(src, tgt)
    first, n, m = scores.rounds[0][0], 3, 4
    p = first.sigmoid().tolist()

    def at(i, j):
        return p[i][j] if 0 <= i < n and 0 <= j < m else 0.0

    def row(i):
        return sum(at(i, j) for j in range(m))

    def column(j):
        return sum(at(i, j) for i in range(n))

    features = scorer.normal(scorer.features(src, tgt).rows(slice(None)))[0]
    for i in range(n):
        for j in range(m):
            of_row, of_col = max(at(i, k) for k in range(m) if k != j), max(at(k, j) for k in range(n) if k != i)
            neighbours = ((1, 1), (-1, -1), (1, -1), (-1, 1), (0, 1), (1, 0), (0, -1), (-1, 0))
            seen = [
                max(-8, min(8, first[i, j].item())) / 4,
                *(at(i + a, j + b) for a, b in neighbours),
                *(of_row, of_col, row(i) - p[i][j], column(j) - p[i][j]),
                max(at(i, j + 1), at(i, j - 1)) - of_row,
                max(at(i + 1, j), at(i - 1, j)) - of_col,
                *(row(i + 1), column(j + 1), row(i - 1), column(j - 1)),
            ]
            expected = first[i, j] + scorer.rounds[1](torch.cat([features[i, j], torch.tensor(seen)]))
            assert scores.rounds[1][0, i, j].item() == pytest.approx(expected.item(), abs=1e-4)


def test_calibration_scales_and_shifts_logits(scorer):
    src, tgt = draw_words([(2, 2)], len(LAYERS))
    logits = scorer(src, tgt).rounds[1]
    scorer.calibration.copy_(torch.tensor([0.5, 1.0]))
    torch.testing.assert_close(scorer.probabilities(src, tgt), (0.5 * logits + 1).sigmoid())


def test_gradients_equal_finite_differences(scorer):
    src, tgt = draw_words([(2, 3), (1, 2)], len(LAYERS))
    scorer.double()
    for parameter in scorer.rounds.parameters():
        parameter.data.mul_(0.1)

    def loss(src_states, tgt_states):
        scores = scorer(WordStates(src_states, src.tokens.double()), WordStates(tgt_states, tgt.tokens.double()))
        inside = (src.tokens > 0)[:, :, None] & (tgt.tokens > 0)[:, None, :]
        return scores.rounds[0][inside].sum() + scores.log_forward[inside].sum() + scores.log_backward[inside].sum()

    states = [each.states.double().requires_grad_() for each in (src, tgt)]
    assert torch.autograd.gradcheck(loss, states, fast_mode=True)


def test_a_pair_with_non_finite_states_has_no_links(scorer):
    src, tgt = draw_words(SIZES, len(LAYERS))
    expected = scorer.probabilities(src, tgt)
    for value in (float("nan"), float("inf")):
        states = src.states.clone()
        states[1, 2, 0, 0] = value
        found = scorer.probabilities(WordStates(states, src.tokens), tgt)
        assert not found[1].any() and torch.equal(found[[0, 2]], expected[[0, 2]])
