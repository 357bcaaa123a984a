from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.aligner.dictionary import unit_links, units_of_words
from xalign_fairseq.core.text.segmented import SegmentedText


def test_all_units_of_linked_words_are_linked():
    assert unit_links({(0, 1), (2, 0)}, [[0, 1], [2], []], [[0], [1, 2]]) == {(0, 1), (0, 2), (1, 1), (1, 2)}


SPANS = st.lists(st.integers(0, 12), max_size=8).map(
    lambda at: list(zip(sorted(at)[::2], sorted(at)[1::2], strict=False))
)


@given(words=SPANS, units=SPANS)
def test_units_are_of_the_words_whose_characters_they_have(words, units):
    words = [span for span in words if span[0] < span[1]]
    found = units_of_words(SegmentedText("x" * 12, tuple(words)), units)
    characters = [set(range(start, max(stop, start + 1))) for start, stop in units]
    for (start, stop), numbers in zip(words, found, strict=True):
        assert numbers == [k for k, each in enumerate(characters) if each & set(range(start, stop))]
