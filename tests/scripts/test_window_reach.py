"""The distances of linked words in one sequence, and shares beyond a window, by hand."""

import numpy as np
import pytest


@pytest.fixture
def reaching(script):
    return script("window_reach")


class Letters:
    """Every letter is a token."""

    def encode_words(self, words):
        index = [number for number, word in enumerate(words) for _ in word]
        return list(range(len(index))), index


def test_distances_are_those_of_first_tokens_in_one_sequence(reaching):
    # <s> a b b </s> c d </s>: a is at 1, bb at 2, c at 5, d at 6.
    found = reaching.link_distances(Letters(), ["a", "bb", ""], ["c", "d"], {(0, 0), (1, 1), (2, 0)})
    assert sorted(found.tolist()) == [4, 4]


def test_shares_are_of_links_and_of_pairs(reaching):
    distances = [np.array([5, 70]), np.array([5, 6]), np.array([], dtype=np.int64)]
    found = reaching.reach(distances, 64)
    assert found["links beyond"] == 0.25 and found["links beyond, longest tenth"] == 0.5
    assert found["pairs with one"] == pytest.approx(1 / 3) and found["median distance"] == 5.5
