"""The filters of links: hand-worked sentences, and that their order matters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.aligner.tools.filters import FILTERS, drop_identical, keep_one_to_one, ordered_filters
from xalign_fairseq.core.errors import XalignError

LINKS = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)))


def test_links_of_identical_words_are_dropped_by_exact_string():
    src, tgt = ["Paris", "is", "big", ".", "Haus"], ["Paris", ".", "gross", "haus"]
    links = {(0, 0), (0, 2), (2, 2), (3, 1), (4, 3)}
    assert drop_identical(links, src, tgt) == {(0, 2), (2, 2), (4, 3)}


def test_one_to_one_keeps_links_whose_words_have_no_other_link():
    # 0-0 and 0-1 share a source word, 2-3 and 4-3 a target word; 1-2 is separate.
    assert keep_one_to_one({(0, 0), (0, 1), (1, 2), (2, 3), (4, 3)}) == {(1, 2)}
    # 0-0, 0-1, 1-1: a chain, in which every link shares a word with another.
    assert keep_one_to_one({(0, 0), (0, 1), (1, 1)}) == set()


def test_the_order_matters():
    src, tgt = ["Paris", "now"], ["Paris", "now", "maintenant"]
    links = {(0, 0), (1, 1), (1, 2)}
    assert keep_one_to_one(drop_identical(links, src, tgt)) == {(1, 2)}
    assert drop_identical(keep_one_to_one(links), src, tgt) == set()


@given(LINKS)
def test_one_to_one_is_the_largest_such_set_that_no_other_link_touches(links):
    kept = keep_one_to_one(links)
    for i, j in links:
        alone = all((i, j) == other or (i != other[0] and j != other[1]) for other in links)
        assert ((i, j) in kept) == alone
    assert keep_one_to_one(kept) == kept


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], ()),
        (["empty", "identical"], ("identical", "empty")),
        (["empty", "one-to-one", "identical", "one-to-one"], FILTERS),
        (["wu-dredze"], FILTERS),
        (["one-to-one", "wu-dredze"], FILTERS),
    ],
)
def test_the_order_is_fixed(given, expected):
    assert ordered_filters(given) == expected


def test_an_unknown_filter():
    with pytest.raises(XalignError, match=r"(?s)no such filter.*found: long.*identical, one-to-one, empty"):
        ordered_filters(["identical", "long"])
