import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.labels.json_lines import JsonSpans
from xalign_fairseq.projection.units import Annotated


@pytest.fixture
def units(tmp_path):
    def read(*lines):
        path = tmp_path / "a.jsonl"
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        return list(JsonSpans(Annotated(str(path))).pieces())

    return read


ANNA = {"text": "Anna sah Bonn .", "translation": "Bonn saw Anna .", "spans": [[9, 13, "LOC"], [0, 4, "PER"]], "id": 3}


def test_spans_are_characters_of_the_translation_and_other_keys_stay(units):
    [unit] = units(ANNA)
    projected = unit.project({(0, 2): 0.9, (2, 0): 0.9})
    assert json.loads(projected.text) == {**ANNA, "translation_spans": [[0, 4, "LOC"], [9, 13, "PER"]]}
    assert (projected.placed, projected.dropped) == (2, ())
    assert projected.labels[1] == ((range(0, 1), "LOC"), (range(2, 3), "PER"))


def test_what_is_not_placed_is_named(units):
    [unit] = units(ANNA)
    [dropped] = unit.project({(0, 2): 0.9}).dropped
    assert (dropped.item, dropped.reason) == ("LOC Bonn", "none of its words has a link")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({**ANNA, "spans": [[0, 4, "PER"], [3, 8, "LOC"]]}, "overlaps"),
        ({**ANNA, "spans": [[0, 40, "PER"]]}, "not within"),
        ({**ANNA, "spans": [[4, 4, "PER"]]}, "empty"),
        ({**ANNA, "text": "Ann\u0065\u0301 ", "spans": [[0, 4, "PER"]]}, "its marks"),
        ({"text": "a", "spans": []}, "not of the expected form"),
        ("{", "not JSON"),
    ],
)
def test_a_line_that_is_not_valid_is_left_as_it_is_and_counted(units, bad, reason):
    first, second = units(ANNA, bad)
    assert first.needs_links and not second.needs_links
    projected = second.project({})
    assert projected.text.strip() == (bad if isinstance(bad, str) else json.dumps(bad))
    assert reason in projected.dropped[0].reason and second.where.endswith("a.jsonl, line 2")


def test_a_file_of_another_format_is_an_error(units):
    with pytest.raises(XalignError, match=r"not JSON[\s\S]*line 1"):
        units("Anna B-PER")


@given(st.data())
def test_every_span_is_placed_or_dropped_and_is_what_it_was_on_an_equal_text(tmp_path_factory, data):
    text = data.draw(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    spans = [[*pair, "X"] for pair in zip(cuts[::2], cuts[1::2], strict=False)]
    path = tmp_path_factory.mktemp("json") / "a.jsonl"
    path.write_text(json.dumps({"text": text, "translation": text, "spans": spans}) + "\n")
    [unit] = JsonSpans(Annotated(str(path))).pieces()
    projected = unit.project({(i, i): 1.0 for i in range(len(unit.src))})
    if not unit.needs_links and spans:
        return
    assert projected.placed + len(projected.dropped) == len(spans)
    for start, end, _ in json.loads(projected.text)["translation_spans"]:
        assert any(text[start:end].startswith(text[a:b].strip()[:1]) or a >= start for a, b, _ in spans)
