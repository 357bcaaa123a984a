"""What all aligners share: two sides of sentences, and the end of their processes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.aligner.protocol import Alignment, WordAligner
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.segmented import SegmentedText, from_words


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
def test_mismatched_sides(sides, message):
    with pytest.raises(XalignError, match=message):
        First().align(*sides)
    with pytest.raises(ValueError, match="of its own"):
        First().align(["broken"], ["b"])


BOUNDS = st.lists(st.integers(0, 12), min_size=2, unique=True).map(sorted)
TEXT = "abcdefghijkl"


def cut(bounds):
    return SegmentedText(TEXT, tuple(zip(bounds[::2], bounds[1::2], strict=False)))


@given(st.tuples(BOUNDS, BOUNDS, BOUNDS, BOUNDS), st.data())
def test_links_on_other_words_by_brute_force(bounds, data):
    src, tgt, other_src, other_tgt = map(cut, bounds)
    places = [(i, j) for i in range(len(src)) for j in range(len(tgt))]
    links = data.draw(st.dictionaries(st.sampled_from(places), st.floats(0, 1)))
    expected = {}
    for (i, j), probability in links.items():
        for k, each in enumerate(other_src.spans):
            for m, one in enumerate(other_tgt.spans):
                shared = [set(range(*a)) & set(range(*b)) for a, b in ((src.spans[i], each), (tgt.spans[j], one))]
                if all(shared):
                    expected[k, m] = max(probability, expected.get((k, m), 0.0))
    assert Alignment(src, tgt, links).links_on(other_src, other_tgt) == expected
    assert Alignment(src, tgt, links).links_on(src, tgt) == links


@pytest.mark.parametrize("src", [["a"], from_words(["b"])])
def test_links_on_words_of_another_text(src):
    with pytest.raises(XalignError, match="another text"):
        Alignment(src, from_words(["x"]), {}).links_on(from_words(["a"]), from_words(["x"]))
