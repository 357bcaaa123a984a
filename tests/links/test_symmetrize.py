"""Symmetrisation: hand-worked grow-diag-final-and, properties of all methods."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.symmetrize import symmetrize

LINKS = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)))


def test_growing_reaches_neighbours_of_neighbours_in_either_scan_direction():
    forward = {(2, 2), (3, 3), (4, 3), (1, 1)}
    backward = {(2, 2), (0, 0)}
    # From 2-2: diagonals 1-1 and 3-3; then 4-3 next to 3-3 (4 is free), and 0-0, found behind the scan.
    assert symmetrize(forward, backward) == {(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)}


def test_growing_continues_behind_the_scan():
    # 1-1 is found behind 2-2; its neighbour 1-0, with a linked source, waits for the next pass.
    assert symmetrize({(2, 2), (1, 1), (1, 0)}, {(2, 2)}) == {(1, 0), (1, 1), (2, 2)}


def test_growing_needs_a_free_token():
    # 1-0 joins tokens that both have links, so it is not added.
    assert symmetrize({(0, 0), (1, 1), (1, 0)}, {(0, 0), (1, 1)}) == {(0, 0), (1, 1)}
    # 0-1 comes first and takes target 1; 1-1 still has source 1 free.
    assert symmetrize({(0, 0), (0, 1), (1, 1)}, {(0, 0)}) == {(0, 0), (0, 1), (1, 1)}


def test_straight_neighbours_come_before_diagonal_ones():
    # 0-1 and 1-0 are taken first; then 1-1 joins two linked tokens.
    assert symmetrize({(0, 0), (0, 1), (1, 1)}, {(0, 0), (1, 0), (1, 1)} - {(1, 1)}) == {(0, 0), (0, 1), (1, 0)}


def test_final_adds_far_links_between_two_free_tokens_forward_first():
    # 5-5 and 5-6 compete for source 5: the forward one wins. 0-6 has a linked source.
    assert symmetrize({(0, 0), (5, 6), (0, 6)}, {(0, 0), (5, 5)}) == {(0, 0), (5, 6)}
    assert symmetrize({(3, 3)}, {(0, 5)}) == {(3, 3), (0, 5)}


@given(LINKS, LINKS)
def test_between_intersection_and_union(forward, backward):
    both, either = symmetrize(forward, backward, "intersection"), symmetrize(forward, backward, "union")
    grown = symmetrize(forward, backward)
    assert both == forward & backward and either == forward | backward
    assert both <= grown <= either
    # Every link that is not added touches a linked token.
    rows, columns = {i for i, _ in grown}, {j for _, j in grown}
    assert all(i in rows or j in columns for i, j in either - grown)


def test_unknown_methods_are_refused():
    with pytest.raises(XalignError, match="grow-diag-final-and"):
        symmetrize(set(), set(), "grow-diag")
