import math

import pytest
import torch
from support.links import SIZES, draw, similarities

from xalign_fairseq.links.growing import grown_links
from xalign_fairseq.transport import grown
from xalign_fairseq.transport.grown import Grown

METHOD = Grown(temperature=0.2, threshold=0.3, growth=0.5)


def softmax(values):
    weights = [math.exp(value) for value in values]
    return [weight / sum(weights) for weight in weights]


def owners(seed):
    """Words of 1 to 3 tokens for sides of SIZES, padded with -1."""
    generator = torch.Generator().manual_seed(seed)
    sides = []
    for side in (0, 1):
        words = torch.full((len(SIZES), max(size[side] for size in SIZES)), -1)
        for row, size in zip(words, SIZES, strict=True):
            first = torch.rand(size[side], generator=generator) < 0.6
            first[0] = True
            row[: size[side]] = first.cumsum(0) - 1
        sides.append(words)
    return sides


def test_scores_follow_the_equation():
    pairs, hidden, spans = draw(1)
    src_words, tgt_words = owners(2)
    scores = METHOD.scores(hidden, spans, src_words, tgt_words)
    several = 0
    for row, (src, tgt) in enumerate(pairs):
        u_words, v_words = src_words[row, : len(src)].tolist(), tgt_words[row, : len(tgt)].tolist()
        several += len(src) > len(set(u_words))
        for u in set(u_words):
            for v in set(v_words):
                cosines = [[2 * value - 1 for value in row] for row in similarities(src, tgt)]
                forward = [softmax([cosine / 0.2 for cosine in row]) for row in cosines]
                backward = [softmax([cosine / 0.2 for cosine in column]) for column in zip(*cosines, strict=True)]
                rows = [i for i, word in enumerate(u_words) if word == u]
                columns = [j for j, word in enumerate(v_words) if word == v]
                there = sum(forward[i][j] for i in rows for j in columns) / len(rows)
                expected = math.sqrt(there * (sum(backward[j][i] for i in rows for j in columns) / len(columns)))
                assert scores[row, u, v].item() == pytest.approx(expected, abs=1e-9)
        assert not scores[row, max(u_words) + 1 :].any() and not scores[row, :, max(v_words) + 1 :].any()
    assert several  # words of several tokens


def test_long_sides_are_processed_in_chunks(monkeypatch):
    _, hidden, spans = draw(1)
    given = hidden, spans, *owners(2)
    whole = METHOD.scores(*given)
    for most in (1, 2, 3):
        monkeypatch.setattr(grown, "WORDS_AT_ONCE", most)
        torch.testing.assert_close(METHOD.scores(*given), whole)


def test_a_long_side_takes_little_memory():
    words = torch.arange(20_000)[None] // 2
    sizes = [part.numel() for _, part in grown._members(words, torch.float32)]
    assert len(sizes) == 20 and max(sizes) <= 1024 * 512  # 200 million pairs of tokens and words


def test_links_grow_from_the_threshold_down_to_a_share_of_it():
    _, hidden, spans = draw(3)
    words = owners(4)
    scores = METHOD.scores(hidden, spans, *words).numpy()
    found, _ = METHOD.links(hidden, spans, *words)
    assert found == [grown_links(each, 0.3, 0.15) for each in scores]
    alone, _ = Grown(temperature=0.2, threshold=0.3, growth=1.0).links(hidden, spans, *words)
    assert all(one.items() <= other.items() for one, other in zip(alone, found, strict=True)) and alone != found
    assert min(value for each in alone for value in each.values()) >= 0.3
    assert 0.15 <= min(value for each in found for value in each.values()) < 0.3


def test_a_token_outside_words_has_no_link_and_keeps_its_share():
    _, hidden, spans = draw(6, [(3, 3)])
    all_words = METHOD.scores(hidden, spans, torch.tensor([[0, 1, 2]]), torch.tensor([[0, 1, 2]]))
    left_out = METHOD.scores(hidden, spans, torch.tensor([[0, -1, 1]]), torch.tensor([[0, 1, 2]]))
    torch.testing.assert_close(left_out, all_words[:, [0, 2]])
