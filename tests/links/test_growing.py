import numpy as np

from xalign_fairseq.links.growing import grown_links, links_above

SCORES = np.array([[0.9, 0.3], [0.02, 0.6]])


def test_links_at_and_above_a_score():
    assert links_above(SCORES, 0.3) == {(0, 0): 0.9, (0, 1): 0.3, (1, 1): 0.6}
    assert links_above(None, 0.3) == {}


def test_links_grow_to_neighbours_and_then_to_free_words():
    scores = np.array(
        [[0.90, 0.10, 0.10, 0.10], [0.30, 0.34, 0.33, 0.10], [0.10, 0.32, 0.10, 0.10], [0.10, 0.10, 0.10, 0.24]]
    )
    assert grown_links(scores, 0.45, 0.45) == {(0, 0): 0.9}
    # (1, 1) neighbours (0, 0), then (1, 2) and (2, 1) neighbour it; by then (1, 0) has no free word.
    grown = {(0, 0): 0.9, (1, 1): 0.34, (1, 2): 0.33, (2, 1): 0.32}
    assert grown_links(scores, 0.45, 0.25) == grown
    # Far from all links, but between two free words.
    apart = np.diag([0.9, 0.1, 0.3]) + np.array([[0, 0, 0.29], [0, 0, 0], [0.28, 0, 0]])
    assert grown_links(apart, 0.45, 0.25) == {(0, 0): 0.9, (2, 2): 0.3}
    assert list(grown_links(np.array([[0.3, 0.9]]), 0.45, 0.25)) == [(0, 0), (0, 1)]
    assert grown_links(None, 0.45, 0.25) == {}
