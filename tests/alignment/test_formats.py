import json

from xalign_fairseq.alignment.aligner import Alignment
from xalign_fairseq.alignment.formats import json_line, pharaoh_line
from xalign_fairseq.alignment.pharaoh import parse_line

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
