import math

import numpy as np
import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.lexicon import HELD_OUT, PARTS, Lexicon
from xalign_fairseq.evaluation.lexicon_alignment import lexicon_scores


def make(entries, part):
    sides = [[np.array(side) for side in column] for column in zip(*entries, strict=True)]
    flat = [value for side in sides for value in (np.concatenate(side), np.array([len(ids) for ids in side]))]
    return Lexicon("en", "xx", *flat, np.array(part))


def random_case(seed, twins=30, entries=120):
    """Rows 4 ... of one language and their noisy twins; most entries pair twins, of one or two subwords."""
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((4 + 2 * twins, 4))
    table[4 + twins :] = table[4 : 4 + twins] + 0.6 * rng.standard_normal((twins, 4))
    lines = []
    for _ in range(entries):
        source = rng.integers(4, 4 + twins, size=rng.integers(1, 3))
        target = source if rng.random() < 0.7 else rng.integers(4, 4 + twins, size=rng.integers(1, 3))
        lines.append((tuple(source.tolist()), tuple((target + twins).tolist())))
    return torch.from_numpy(table), make(lines, rng.integers(0, 3, size=entries)), lines


@pytest.mark.parametrize("seed", range(3))
def test_against_plain_loops(seed):
    table, lexicon, lines = random_case(seed)

    def vector(ids):
        return [sum(float(table[i, k]) for i in ids) / len(ids) for k in range(4)]

    def cosine(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))

    targets = list(dict.fromkeys(target for _, target in lines))
    right = {}
    for source in {source for source, _ in lines}:
        nearest = max(targets, key=lambda target: cosine(vector(source), vector(target)))
        right[source] = (source, nearest) in lines
    for each in lexicon_scores(table, lexicon):
        part = None if each.part == "all" else PARTS.index(each.part)
        chosen = {source for (source, _), of in zip(lines, lexicon.part, strict=True) if part in (None, of)}
        assert each.score == pytest.approx(sum(right[source] for source in chosen) / len(chosen))
        assert each.words == len(chosen) and each.candidates == len(targets)
        assert 0 <= each.low <= each.score <= each.high <= 1
    assert 0.1 < sum(right.values()) / len(right) < 0.9


def test_one_part_the_seed_and_parts_without_score():
    table, lexicon, _ = random_case(1)
    assert [each.part for each in lexicon_scores(table, lexicon.entries(HELD_OUT))] == ["held out"]
    first, same, other = (lexicon_scores(table, lexicon, samples=50, seed=seed) for seed in (1, 1, 2))
    assert first == same != other
    with pytest.raises(XalignError, match="without an embedding"):
        lexicon_scores(table[:50], lexicon)
    with pytest.raises(XalignError, match="no entry"):
        lexicon_scores(table, make([((4,), (5,))], [0]).entries(HELD_OUT))
