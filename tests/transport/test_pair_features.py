import math

import pytest
import torch
from support.links import DIM, SIZES, draw, draw_words

from xalign_fairseq.transport.pair_features import FLOOR, PairFeatures, ScoreMap, mirrors, word_states

LAYERS = 2


def made(src, tgt, scale=5.0):
    products = src.states.mean(2) @ tgt.states.mean(2).mT
    return PairFeatures(src, tgt, products, torch.tensor(scale)), products


def test_features_of_a_pair_by_plain_loops():
    src, tgt = draw_words([(3, 4)], LAYERS)
    features, products = made(src, tgt)
    found = features.rows(slice(None))[0]
    n, m = 3, 4
    logits = [[5 * products[0, i, j].item() for j in range(m)] for i in range(n)]
    forward = [[math.exp(v) / sum(map(math.exp, row)) for v in row] for row in logits]
    columns = list(zip(*logits, strict=True))
    backward = [[math.exp(logits[i][j]) / sum(map(math.exp, columns[j])) for j in range(m)] for i in range(n)]
    score = [[math.sqrt(forward[i][j] * backward[i][j]) for j in range(m)] for i in range(n)]

    def at(i, j):
        return score[i][j] if 0 <= i < n and 0 <= j < m else 0.0

    def log(value):
        return math.log(max(value, FLOOR)) / 4

    expected_tgt = [sum(score[i][j] * j for j in range(m)) / sum(score[i]) for i in range(n)]
    for i in range(n):
        for j in range(m):
            row = max(score[i][k] for k in range(m) if k != j)
            column = max(score[k][j] for k in range(n) if k != i)
            near = min(abs(expected_tgt[k] - j + i - k) for k in range(max(0, i - 2), min(n, i + 3)) if k != i)
            cosines = [float(src.states[0, i, layer] @ tgt.states[0, j, layer]) for layer in range(LAYERS)]
            single = found[i, j, 2 * LAYERS :].tolist()
            assert found[i, j, :LAYERS].tolist() == pytest.approx(cosines, abs=1e-6)
            assert single[:4] == pytest.approx(
                [
                    products[0, i, j].item(),
                    score[i][j],
                    at(i + 2, j + 2) + at(i - 2, j - 2),
                    abs((i + 0.5) / n - (j + 0.5) / m),
                ],
                abs=1e-6,
            )
            assert single[4:6] == pytest.approx([log(forward[i][j]), log(backward[i][j])], abs=1e-5)
            assert single[6:8] == pytest.approx([row, column], abs=1e-6)
            assert single[8:10] == pytest.approx([log(score[i][j]) - log(each) for each in (row, column)], abs=1e-5)
            assert single[10:12] == pytest.approx([sum(score[i]), sum(each[j] for each in score)], abs=1e-5)
            assert single[12] == pytest.approx(math.exp(-near / 2), abs=1e-4)
            assert single[14:16] == [src.tokens[0, i] / 4, tgt.tokens[0, j] / 4]
            assert single[16:18] == pytest.approx([n / 30, m / 30])
            assert single[18:20] == [float(i in (0, n - 1)), float(j in (0, m - 1))]
            places = ((1, 1), (-1, -1), (1, -1), (-1, 1), (0, 1), (1, 0), (0, -1), (-1, 0))
            around = [at(i + a, j + b) for a, b in places]
            assert single[20:] == pytest.approx(around, abs=1e-6)


def test_centred_cosines_are_of_states_without_the_sentence_s_mean():
    src, tgt = draw_words([(3, 4)], LAYERS)
    found = made(src, tgt)[0].rows(slice(None))[0, :, :, LAYERS : 2 * LAYERS]
    for layer in range(LAYERS):
        own, other = (each.states[0, :, layer] - each.states[0, :, layer].mean(0) for each in (src, tgt))
        expected = torch.nn.functional.cosine_similarity(own[:, None], other[None], 2)
        torch.testing.assert_close(found[..., layer], expected)


def test_swapped_sides_give_the_transpose():
    src, tgt = draw_words([(3, 4), (5, 2)], LAYERS)
    there = made(src, tgt)[0].rows(slice(None))
    back = made(tgt, src)[0].rows(slice(None))
    mirror = mirrors(LAYERS)
    assert len(mirror) == there.shape[3] and sorted(mirror) == list(range(len(mirror)))
    assert [mirror[at] for at in mirror] == list(range(len(mirror)))
    torch.testing.assert_close(there[0, :3, :4], back[0, :4, :3].transpose(0, 1)[..., mirror])
    torch.testing.assert_close(there[1, :5, :2], back[1, :2, :5].transpose(0, 1)[..., mirror])


def test_for_two_equal_scores_the_best_other_score_is_the_same():
    row, column = ScoreMap(torch.tensor([[[0.5, 0.5, 0.1]]])).others(slice(None))
    assert row.tolist() == [[[0.5, 0.5, 0.5]]] and column.tolist() == [[[0.0, 0.0, 0.0]]]


WORDS = torch.tensor([[0, 0, 2, -1, 2, 3, 5]])  # 1 and 4 have no token


def test_states_are_means_of_tokens_of_each_layer():
    _, hidden, spans = draw(1)
    hidden, spans = hidden[8:9].float(), spans[8:9]
    assert SIZES[8] == (7, 3)
    found = word_states(hidden, spans, 0, WORDS, layers=2)
    assert found.states.shape == (1, 6, 2, DIM // 2) and found.tokens.tolist() == [[2, 0, 2, 1, 0, 1]]
    assert found.lengths.tolist() == [6]
    for word in (0, 2, 3, 5):
        tokens = [at for at, owner in enumerate(WORDS[0].tolist()) if owner == word]
        for layer, own in enumerate(torch.stack([hidden[0, 1 + at] for at in tokens]).mean(0).split(DIM // 2)):
            torch.testing.assert_close(found.states[0, word, layer], own / own.norm())
    assert not found.states[0, [1, 4]].any()


def test_tokens_beyond_the_side_belong_to_no_word():
    _, hidden, spans = draw(1)
    words = torch.arange(6).expand(len(SIZES), -1)  # also if a side is shorter
    found = word_states(hidden, spans, 1, words, layers=1)
    assert found.lengths.tolist() == [m for _, m in SIZES]
    assert [int(each.any(2).sum()) for each in found.states] == [m for _, m in SIZES]
