import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.segmentation import split_at_spaces
from xalign_fairseq.core.text.segmented import inside_grapheme
from xalign_fairseq.projection.labels.json_lines import json_spans, place_spans
from xalign_fairseq.projection.spans import Placing
from xalign_fairseq.projection.units import Annotated


@pytest.fixture
def units(tmp_path):
    def read(*lines):
        path = tmp_path / "a.jsonl"
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        return list(json_spans(Annotated(str(path))))

    return read


ANNA = {"text": "Anna sah Bonn .", "translation": "Bonn saw Anna .", "spans": [[9, 13, "LOC"], [0, 4, "PER"]], "id": 3}


def test_spans_are_characters_of_the_translation_and_other_keys_stay(units):
    [unit] = units(ANNA)
    projected = unit.project({(0, 2): 0.9, (2, 0): 0.9})
    assert json.loads(projected.text) == {**ANNA, "translation_spans": [[0, 4, "LOC"], [9, 13, "PER"]]}
    assert (projected.placed, projected.dropped) == (2, ())
    assert projected.labels[1] == ((range(0, 1), "LOC"), (range(2, 3), "PER"))


def test_a_span_is_placed_without_the_punctuation_at_its_words(units):
    [unit] = units({"text": "I «like» books.", "translation": "本 が 好き 。", "spans": [[3, 7, "V"], [9, 14, "O"]]})
    projected = unit.project({(1, 2): 0.9, (2, 0): 0.5, (2, 3): 0.9})
    assert json.loads(projected.text)["translation_spans"] == [[4, 6, "V"], [0, 1, "O"]]


def test_dropped_spans_are_named(units):
    [unit] = units(ANNA)
    [dropped] = unit.project({(0, 2): 0.9}).dropped
    assert (dropped.item, dropped.reason) == ("LOC Bonn", "its words have no link")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({**ANNA, "spans": [[0, 4, "PER"], [3, 8, "LOC"]]}, "overlaps"),
        ({**ANNA, "spans": [[0, 40, "PER"]]}, "not within"),
        ({**ANNA, "spans": [[4, 4, "PER"]]}, "empty"),
        ({**ANNA, "text": "Ann\u0065\u0301 ", "spans": [[0, 4, "PER"]]}, "its marks"),
        ({"text": "a", "spans": []}, "unexpected content"),
        ("{", "not JSON"),
        (json.dumps(ANNA).replace("3}", "1e400}"), "not JSON"),
    ],
)
def test_an_invalid_line_is_unchanged_and_counted(units, bad, reason):
    first, second = units(ANNA, bad)
    assert first.needs_links and not second.needs_links
    projected = second.project({})
    assert projected.text.strip() == (bad if isinstance(bad, str) else json.dumps(bad))
    assert reason in projected.dropped[0].reason and second.where.endswith("a.jsonl, line 2")


def placed(text, translation, spans):
    src, tgt = split_at_spaces(text), split_at_spaces(translation)
    return place_spans(spans, src, tgt, {(i, i): 1.0 for i in range(min(len(src), len(tgt)))}, Placing())


def test_places_are_in_the_order_of_the_spans_without_punctuation_of_others():
    assert placed("Bonn , Rom", "Bonn, ja Rome.", [(7, 10, "A"), (0, 4, "B")]) == [(9, 13), (0, 4)]
    assert placed("a b", "c", [(2, 3, "C")]) == ["its words have no link"]
    assert placed("Rom !", "Rome !", [(0, 5, "A")]) == [(0, 6)]


@given(st.data())
def test_every_span_is_placed_or_dropped_on_an_equal_text(data):
    words = data.draw(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=4), max_size=9))
    text = " ".join(words)
    starts = [len(" ".join(words[:number])) + (number > 0) for number in range(len(words))]
    cuts = sorted(data.draw(st.sets(st.integers(0, len(words)), max_size=6)))
    spans = [
        (starts[first], starts[last - 1] + len(words[last - 1]), "X")
        for first, last in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    if not any(inside_grapheme(text, place) for start, end, _ in spans for place in (start, end)):
        assert placed(text, text, spans) == [(start, end) for start, end, _ in spans]


def test_a_file_of_another_format_is_an_error(units):
    with pytest.raises(XalignError, match=r"not JSON[\s\S]*line 1"):
        units("Anna B-PER")
