from dataclasses import replace

import numpy as np
import pytest
from support.small import MASK

from xalign_fairseq.data import samples
from xalign_fairseq.data.samples import (
    GoldLinks,
    MaskOptions,
    block_sample,
    mask_tokens,
    pair_sample,
    pair_sequence,
    subword_partners,
)
from xalign_fairseq.data.streams import Pair

LOUD = replace(MASK, probability=0.4)


def rng():
    return np.random.default_rng(3)


def ids(*values):
    return np.array(values, dtype=np.int64)


def gold(src_words, tgt_words, *links):
    return GoldLinks(ids(*src_words), ids(*tgt_words), np.array(links, dtype=np.int64).reshape(-1, 3))


@pytest.mark.parametrize(
    ("src", "tgt", "tokens", "span"),
    [
        ([10, 11], [20], [0, 10, 11, 2, 20, 2], [1, 3, 4, 5]),
        ([], [20, 21], [0, 2, 20, 21, 2], [1, 1, 2, 4]),
        ([10], [], [0, 10, 2, 2], [1, 2, 3, 3]),
    ],
)
def test_a_pair_is_one_sequence(src, tgt, tokens, span):
    found = pair_sequence(ids(*src), ids(*tgt))
    assert found[0].tolist() == tokens and found[1].tolist() == span and found[0].dtype == np.int64


def test_a_pair_with_links_carries_them_and_its_tokens_partners():
    pair = Pair(
        0, ids(10, 11), ids(20, 21, 22), src_words=ids(0, 1), tgt_words=ids(0, 0, 1), links=np.array([[1, 0, 1]])
    )
    sample = pair_sample(pair, rng(), LOUD)
    assert sample.partner.tolist() == [-1, -1, 4, -1, 2, 2, -1, -1]
    assert sample.gold.links.tolist() == [[1, 0, 1]] and sample.gold.tgt_words.tolist() == [0, 0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_word_links_expand_to_tokens_as_plain_loops_do(seed):
    draw = np.random.default_rng(seed)
    # Words of 0 to 3 tokens; links to words without tokens and to words beyond the last, too.
    sides = [np.repeat(np.arange(size), draw.integers(0, 4, size)) for size in (7, 5)]
    links = np.column_stack([draw.integers(0, 8, 12), draw.integers(0, 6, 12), draw.integers(0, 2, 12)])
    n, m = map(len, sides)
    span = np.array([1, 1 + n, 2 + n, 2 + n + m])
    expected = [-1] * (n + m + 3)
    for i, j, _ in sorted([link for link in links.tolist() if link[2]] or links.tolist()):
        a, b = (
            start + np.flatnonzero(words == word) for words, word, start in zip(sides, (i, j), span[::2], strict=True)
        )
        if len(a) and len(b):
            for own, other in ((a, b), (b, a)):
                for k, at in enumerate(own):
                    expected[at] = int(other[k * len(other) // len(own)])
    assert subword_partners(GoldLinks(*sides, links), span, n + m + 3).tolist() == expected


def test_a_block_begins_with_its_own_symbol():
    block = ids(10, 11, 12, 20, 21, 10, 13)
    plain = block_sample(block, rng(), LOUD, lang=2)
    masked, targets = mask_tokens(ids(0, *block), rng(), LOUD)
    assert (plain.masked.tolist(), plain.targets.tolist(), plain.lang) == (masked.tolist(), targets.tolist(), 2)
    assert plain.draw.shape == (8,)


OPTIONS = MaskOptions(mask=999, vocab=1000)


def sentence(length=200):
    return np.concatenate([[0], np.arange(4, 4 + length), [2]])


def test_count_is_the_floor_of_the_share_plus_one_draw():
    counts = {int((mask_tokens(sentence(50), np.random.default_rng(s), OPTIONS)[1] != 1).sum()) for s in range(100)}
    assert counts == {7, 8}  # 0.15 * 50 = 7.5


def test_targets_are_the_originals_and_other_positions_stay():
    tokens = sentence()
    masked, targets = mask_tokens(tokens, np.random.default_rng(1), OPTIONS)
    chosen = targets != 1
    assert (targets[chosen] == tokens[chosen]).all()
    assert (masked[~chosen] == tokens[~chosen]).all()
    again, other = (mask_tokens(tokens, np.random.default_rng(seed), OPTIONS)[0] for seed in (1, 2))
    assert (masked == again).all() and (masked != other).any()


def test_eighty_ten_ten():
    fates = np.zeros(3)
    for seed in range(300):
        tokens = sentence()
        masked, targets = mask_tokens(tokens, np.random.default_rng(seed), OPTIONS)
        new, old = masked[targets != 1], tokens[targets != 1]
        fates += [(new == 999).sum(), (new == old).sum(), ((new != 999) & (new != old)).sum()]
    assert np.allclose(fates / fates.sum(), [0.8, 0.1, 0.1], atol=0.012)


def test_special_tokens_are_chosen_only_on_request_and_unknown_ones_never():
    options = MaskOptions(mask=999, vocab=1000, probability=1.0)
    assert mask_tokens(np.array([0, 5, 3, 6, 2]), np.random.default_rng(0), options)[1].tolist() == [1, 5, 1, 6, 1]
    released = MaskOptions(mask=999, vocab=1000, probability=1.0, specials=True)
    assert list(mask_tokens(sentence(5), np.random.default_rng(0), released)[1][[0, -1]]) == [0, 2]


def test_random_tokens_are_never_special_and_never_the_mask(monkeypatch):
    monkeypatch.setattr(samples, "RANDOM", 1.0)
    for mask in (9, 6):  # appended last, or in the middle of the dictionary
        options = MaskOptions(mask=mask, vocab=10, probability=1.0)
        masked, _ = mask_tokens(np.full(2000, 5), np.random.default_rng(0), options)
        assert set(masked) == {4, 5, 6, 7, 8, 9} - {mask}
