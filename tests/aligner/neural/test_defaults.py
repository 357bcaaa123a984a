"""The table of defaults: known families, each once, and nothing that its source does not say."""

import json
from pathlib import Path

import pytest

from xalign_fairseq.aligner.neural import defaults
from xalign_fairseq.aligner.neural.defaults import FAMILIES, NOT_MEASURED, default_labelling
from xalign_fairseq.aligner.neural.link_setting import CHOSEN
from xalign_fairseq.encoder.pretrained.known import KNOWN
from xalign_fairseq.transport.methods import Cosine, Grown, Softmax, Transport, make_method

RESULTS = Path(__file__).parents[3] / "scripts" / "results"
MEASURED = [row for row in FAMILIES if row.results]


def test_every_known_family_has_its_row_and_no_other():
    named = [family for row in FAMILIES for family in row.families]
    assert sorted(named) == sorted(model.family for model in KNOWN)


@pytest.mark.parametrize("row", FAMILIES, ids=lambda row: row.families[0])
def test_entries_can_be_made_and_differ(row):
    places = [(entry.method, entry.encoding) for entry in row.entries]
    assert places and len(set(places)) == len(places)
    assert (row.results is None) == (NOT_MEASURED in row.source)
    for entry in row.entries:
        # A line to paste names these alone beside what is usual.
        assert set(entry.options) <= set(CHOSEN)
        setting = default_labelling(row.families[0], defaults.OF, entry.method, entry.encoding)
        assert setting == (entry.layers, make_method(entry.method, **entry.options), entry.encoding)
    assert default_labelling(row.families[0], defaults.OF) == default_labelling(row.families[0], 12, *places[0])


def test_some_of_the_table():
    assert default_labelling("e5-large", 24) == ((12, 14), Grown(), "separate")
    assert default_labelling("e5-large", 24, "softmax") == ((12, 14), Softmax(0.4), "separate")
    assert default_labelling("xlm-r-base", 12) == ((8,), Transport(), "joint")
    assert default_labelling("xlm-r-large", 24, "argmax") == ((16,), Cosine(), "separate")
    assert default_labelling("mbert", 12) == ((8,), Softmax(0.001), "separate")
    assert default_labelling("distilmbert", 6) == ((4,), Softmax(0.001), "separate")
    assert default_labelling(None, 12, "softmax") == ((8,), Softmax(), "separate")


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row.families[0])
def test_the_results_file_says_what_the_row_says(row):
    """The best setting of each method and encoding, in the order of their AER, of development sets alone."""
    found = json.loads((RESULTS / row.results).read_text(encoding="utf-8"))
    assert all(found[key] for key in ("command", "commit", "machine")) and isinstance(found["seed"], int)
    assert found["model"] in row.families
    assert not [name for name in found["sets"] if "simalign-testsets" in name or "test/" in name]
    best = {}
    for entry in sorted(found["rows"], key=lambda each: each["aer"]):
        best.setdefault((entry["method"], entry["encoding"]), entry)
    expected = [(each["method"], tuple(each["layers"]), each["encoding"], each["options"]) for each in best.values()]
    assert [(entry.method, entry.layers, entry.encoding, dict(entry.options)) for entry in row.entries] == expected
    for entry in found["rows"]:
        assert entry["aer"] == pytest.approx(sum(entry["sets"]) / len(found["sets"]), abs=1e-4)
