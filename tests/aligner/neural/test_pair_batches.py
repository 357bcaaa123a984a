"""Batches of sentence pairs by length."""

import numpy as np
import pytest

from xalign_fairseq.aligner.neural.pair_batches import EncodedPair, length_batches


def pairs_of(sizes: list[tuple[int, int]]) -> list[EncodedPair]:
    empty = np.zeros(0, dtype=np.int32)
    return [
        EncodedPair(number, np.zeros(n, dtype=np.int32), np.zeros(m, dtype=np.int32), empty, empty)
        for number, (n, m) in enumerate(sizes)
    ]


@pytest.fixture
def pairs() -> list[EncodedPair]:
    draw = np.random.default_rng(1)
    return pairs_of(list(zip(draw.integers(1, 90, 300).tolist(), draw.integers(1, 90, 300).tolist(), strict=True)))


@pytest.mark.parametrize("encoding", ["joint", "separate"])
def test_every_pair_is_in_one_batch_within_the_budget(pairs, encoding):
    batches = list(length_batches(pairs, encoding, 500))
    assert sorted(pair.index for batch in batches for pair in batch) == list(range(300))
    for batch in batches:
        if encoding == "joint":
            width = max(sum(pair.sizes) for pair in batch) + 3
        else:
            width = sum(max(sides) + 2 for sides in zip(*(pair.sizes for pair in batch), strict=True))
        assert len(batch) == 1 or len(batch) * width <= 500


def test_pairs_of_one_length_fill_the_budget():
    sizes = [len(batch) for batch in length_batches(pairs_of([(4, 3)] * 25), "joint", 100)]
    assert sizes == [10, 10, 5]  # of 4 + 3 + 3 tokens


def test_a_pair_above_the_budget_is_a_batch():
    [first, second] = length_batches(pairs_of([(2, 2), (300, 300)]), "separate", 50)
    assert first[0].index == 1 and second[0].index == 0
