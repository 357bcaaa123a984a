import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.segmented import SegmentedText, from_words, inside_grapheme


def test_it_is_a_sequence_of_its_words():
    text = SegmentedText("I'm here.", ((0, 3), (4, 8), (8, 9)))
    assert (list(text), len(text), text[1], text[1:]) == (["I'm", "here", "."], 3, "here", ["here", "."])
    assert text == ["I'm", "here", "."] != from_words(["here"]) and text != SegmentedText("I'm  here.", text.spans)
    assert SegmentedText("  ", ()).words == [] and SegmentedText("", ()).byte_spans == ()


@pytest.mark.parametrize("spans", [((1, 1),), ((0, 2), (1, 3)), ((2, 3), (0, 1)), ((0, 10),), ((-1, 2),)])
def test_spans_are_in_order_and_within_the_text(spans):
    with pytest.raises(XalignError, match="out of order"):
        SegmentedText("123456789", spans)


@given(st.lists(st.tuples(st.text(" \u3000", max_size=2), st.text("aé日𝔸\u0301", min_size=1, max_size=3)), max_size=6))
def test_spans_in_bytes_cut_the_same_words(parts):
    line, spans = "", []
    for space, word in parts:
        line += space
        spans.append((len(line), len(line) + len(word)))
        line += word
    text = SegmentedText(line, tuple(spans))
    raw = line.encode()
    assert [raw[start:stop].decode() for start, stop in text.byte_spans] == text.words
    assert SegmentedText.of_words(line, text.words) == text


@given(st.integers(0, 12), st.integers(0, 12))
def test_words_of_characters_by_brute_force(start, stop):
    text = SegmentedText("ab cd efg  h", ((0, 2), (3, 5), (5, 9), (11, 12)))
    inside = {index for index, (a, b) in enumerate(text.spans) for at in range(a, b) if start <= at < stop}
    assert set(text.words_in(start, stop)) == inside


@pytest.mark.parametrize(
    "text", ["e\u0301a", "👍🏽a", "👩‍👧a", "🇩🇪🇫🇷a", "a\r\nb\r", "कि", "ab", "\u0301a", "ന്\u200d വ", "ന്\u200d."]
)
def test_graphemes_stay_whole(text):
    bounds = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
    assert {index for index in range(len(text) + 1) if not inside_grapheme(text, index)} == bounds
