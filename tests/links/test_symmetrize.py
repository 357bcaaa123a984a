import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.pharaoh import parse_line
from xalign_fairseq.links.symmetrize import symmetrize

LINKS = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)))


@pytest.mark.parametrize(
    ("forward", "backward", "expected"),
    [
        # From 2-2: diagonals 1-1 and 3-3; then 4-3 next to 3-3 (4 is free), and 0-0, found behind the scan.
        ("2-2 3-3 4-3 1-1", "2-2 0-0", "0-0 1-1 2-2 3-3 4-3"),
        # 1-1 is found behind 2-2; its neighbour 1-0, with a linked source, waits for the next pass.
        ("2-2 1-1 1-0", "2-2", "1-0 1-1 2-2"),
        # 1-0 joins tokens that both have links, so it is not added.
        ("0-0 1-1 1-0", "0-0 1-1", "0-0 1-1"),
        # 0-1 comes first and takes target 1; 1-1 still has source 1 free.
        ("0-0 0-1 1-1", "0-0", "0-0 0-1 1-1"),
        # Straight neighbours 0-1 and 1-0 are taken first; then 1-1 joins two linked tokens.
        ("0-0 0-1 1-1", "0-0 1-0", "0-0 0-1 1-0"),
        # The last step: 5-5 and 5-6 compete for source 5: the forward one wins. 0-6 has a linked source.
        ("0-0 5-6 0-6", "0-0 5-5", "0-0 5-6"),
        ("3-3", "0-5", "3-3 0-5"),
    ],
)
def test_links_worked_by_hand(forward, backward, expected):
    assert symmetrize(*(parse_line(line).sure for line in (forward, backward))) == parse_line(expected).sure


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
