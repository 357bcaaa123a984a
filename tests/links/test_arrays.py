import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.arrays import _USUAL, link_arrays
from xalign_fairseq.links.pharaoh import parse_line

LINK = st.builds("{}{}{}".format, st.integers(0, 12), st.sampled_from("-p"), st.integers(0, 12))
BLANK = st.sampled_from([" ", "  ", "\t", "\u00a0"])
USUAL = st.lists(LINK, max_size=8).map(" ".join)
UNUSUAL = st.lists(st.one_of(LINK, BLANK, st.sampled_from(["007-1", " ", "1-2\r"])), max_size=8).map(" ".join)


@given(st.lists(USUAL, min_size=1, max_size=6))
def test_usual_lines_are_read_at_once(lines):
    assert _USUAL.fullmatch("\n".join(lines))
    same_as_line_by_line(lines)


@given(st.lists(st.one_of(USUAL, UNUSUAL), min_size=1, max_size=6))
def test_all_lines_are_read_as_line_by_line(lines):
    same_as_line_by_line(lines)


def same_as_line_by_line(lines):
    found = link_arrays(lines)
    golds = [parse_line(line) for line in lines]
    expected = [(row, *link, link in gold.sure) for row, gold in enumerate(golds) for link in sorted(gold.possible)]
    assert list(zip(*(part.tolist() for part in found), strict=True)) == expected


@pytest.mark.parametrize("line", ["1-", "x", "1-2-3", "1-2,3-4", "1234567890-1", "1--2", "-1-2", "1-2x", "１-2"])
def test_malformed_links_are_errors(line):
    with pytest.raises(XalignError, match=r"a link (is malformed|has an invalid index)"):
        link_arrays(["0-0", line])
