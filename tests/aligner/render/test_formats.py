import json

from xalign_fairseq.aligner.neural.aligner import Alignment
from xalign_fairseq.aligner.render.formats import json_line, pharaoh_line
from xalign_fairseq.core.text.segmented import SegmentedText
from xalign_fairseq.links.pharaoh import parse_line

PAIR = Alignment(
    ["der", "„Hund“", "\t\0"], ["the", "dog"] + ["x"] * 10, {(1, 11): 0.12345678, (1, 2): 0.5, (0, 0): 1.0}
)


def test_pharaoh_is_sorted_by_number():
    assert pharaoh_line(PAIR) == "0-0 1-2 1-11"
    assert parse_line(pharaoh_line(PAIR)).sure == PAIR.links.keys()
    assert pharaoh_line(Alignment([], ["a"], {})) == ""


def test_json_holds_words_and_probabilities_in_one_line():
    line = json_line(PAIR)
    assert "\n" not in line
    assert "„Hund“" in line
    assert json.loads(line) == {
        "src": PAIR.src,
        "tgt": PAIR.tgt,
        "links": [[0, 0, 1.0], [1, 2, 0.5], [1, 11, 0.123457]],
    }


def test_json_holds_texts_and_the_places_of_their_words():
    text = SegmentedText("“你好” 😀x", ((0, 1), (1, 3), (3, 4), (5, 6), (6, 7)))
    row = json.loads(json_line(Alignment(text, ["a"], {(1, 0): 0.5})))
    assert row["src"] == ["“", "你好", "”", "😀", "x"] and row["src_text"] == text.text
    assert [row["src_text"][start:stop] for start, stop in row["src_chars"]] == row["src"]
    raw = row["src_text"].encode()
    assert [raw[start:stop].decode() for start, stop in row["src_bytes"]] == row["src"]
    assert not any(name.startswith("tgt_") for name in row)  # words without a text have no place in it


def test_json_tells_subwords():
    line = json_line(Alignment(["▁red", "dish"], ["▁rouge"], {(0, 0): 0.5}, units="subword"))
    assert json.loads(line) == {
        "src": ["▁red", "dish"],
        "tgt": ["▁rouge"],
        "links": [[0, 0, 0.5]],
        "units": "subword",
    }
