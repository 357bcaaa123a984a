from operator import length_hint

import pytest

from xalign_fairseq.aligner.protocol import Alignment, WordAligner
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


def test_sentences_are_aligned_in_their_order(monkeypatch):
    assert [pair.src for pair in First().align(["a b", "c"], iter(["x", "y"]))] == [["a", "b"], ["c"]]
    assert First().unknown().tokens == 0
    # a pool shares a text of known length among its processes
    monkeypatch.setattr(First, "stream", lambda self, pairs, **more: [length_hint(pairs)])
    assert First().align(iter(["a", "b"]), iter(["x", "y"])) == [2]


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ((["a"], ["b", "c"]), "different numbers"),
        ((["a", "b"], ["c"]), "different numbers"),
        (("a", ["b"]), "instead of a list"),
        ((["a"], "b"), "instead of a list"),
    ],
)
def test_mismatched_sides(sides, message):
    with pytest.raises(XalignError, match=message):
        First().align(*sides)
    with pytest.raises(ValueError, match="of its own"):
        First().align(["broken"], ["b"])
