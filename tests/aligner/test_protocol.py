"""What all aligners share: sentences of two sides, and the end of their processes."""

import pytest

from xalign_fairseq.aligner.alignment import Alignment
from xalign_fairseq.aligner.protocol import WordAligner
from xalign_fairseq.core.errors import XalignError


class First(WordAligner):
    """Links the first words."""

    closed = False

    def stream(self, pairs, progress=None, matrices=False):
        for src, tgt in pairs:
            if src == "broken":
                raise ValueError("of its own")
            yield Alignment(src.split(), tgt.split(), {(0, 0): 1.0})

    def describe(self):
        return "first words"

    def signature(self):
        return "system:first"

    def close(self):
        self.closed = True


def test_sentences_are_aligned_in_their_order():
    assert [pair.src for pair in First().align(["a b", "c"], iter(["x", "y"]))] == [["a", "b"], ["c"]]
    assert First().unknown().tokens == 0


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ((["a"], ["b", "c"]), "different numbers"),
        ((["a", "b"], ["c"]), "different numbers"),
        (("a", ["b"]), "instead of a list"),
        ((["a"], "b"), "instead of a list"),
    ],
)
def test_sides_that_do_not_fit(sides, message):
    with pytest.raises(XalignError, match=message):
        First().align(*sides)
    with pytest.raises(ValueError, match="of its own"):
        First().align(["broken"], ["b"])


def test_it_is_closed_at_the_end_of_its_block():
    with First() as aligner:
        assert not aligner.closed
    assert aligner.closed
