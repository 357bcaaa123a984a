import random

import pytest


def test_the_area_is_the_share_of_couples_in_order(script):
    area = script("benchmark_bitext").area
    assert area([3, 2], [1, 0]) == 1 and area([1], [1]) == 0.5
    assert area([0.9, 0.4], [0.5, 0.4, 0.1]) == pytest.approx((3 + 1.5) / 6)


def test_pairs_are_made_wrong_in_three_ways(script):
    targets = ["ein langer Satz mit acht kurzen Wörtern hier", "zwei Wörter", "noch ein Satz mehr", "ja"]
    made = script("benchmark_bitext").wrong(targets, random.Random(1))
    assert made["true"] == targets
    assert sorted(made["shuffled"]) == sorted(targets)
    assert all(line != other for line, other in zip(targets, made["shuffled"], strict=True))
    assert made["truncated"] == ["ein langer Satz mit acht", "zwei", "noch ein Satz", "ja"]
    for line, other in zip(targets, made["one word"], strict=True):
        pairs = list(zip(line.split(), other.split(), strict=True))
        assert sum(a != b for a, b in pairs) == 1
