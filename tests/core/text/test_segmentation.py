"""Words of a line: at white space as str.split finds them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.segmentation import find_segmenter


@given(st.text())
def test_words_at_spaces_are_those_of_split(line):
    found = find_segmenter("spaces")(line)
    assert found.words == line.split() and found.text == line


def test_an_unknown_segmenter_is_an_error_with_the_names():
    with pytest.raises(XalignError, match=r"(?s)no such segmenter.*scissors.*auto, spaces"):
        find_segmenter("scissors")
