"""Tables of the benchmark from bitext alone, from made-up records."""

import importlib
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def report(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("from_scratch_report")


def record(pairs, minutes, p=None, **aers):
    systems = {name: {"aer": aer, "precision": 0.5, "recall": 0.5} for name, aer in aers.items()}
    found = {"systems": systems, "curve": [[0.5, 0.9, 0.4], [0.6, 0.95, 0.3]], "calibration_error": [0.1, 0.05]}
    if p is not None:
        found["test"] = {"difference": -0.1, "low": -0.2, "high": 0.0, "p_value": p}
    cost = dict.fromkeys(aers, minutes)
    return {"pairs": pairs, "cpu_minutes": cost, "sets": {"test": found}, "machine": "M", "commit": "C", "command": "R"}


@pytest.fixture
def records():
    return {
        "ro-en 40 1": record(44, 1.0, 0.01, xalign=0.30, eflomal=0.40),
        "ro-en 40 2": record(44, 3.0, 0.2, xalign=0.34, eflomal=0.40),
        "ro-en": record(99, 5.0, xalign=0.25),
        "de-en": record(50, 2.0, xalign=0.20),
    }


def test_draws_of_a_size_are_one_row(report, records):
    lines = report.write_sizes(records).splitlines()
    assert "| ro-en | 44 | 2 | 32.0 ± 2.8 | 40.0 ± 0.0 |  | 0.200 | 2.0 / 2.0 /  |" in lines
    assert "| ro-en | 99 | 1 | 25.0 |  |  |  | 5.0 /  /  |" in lines
    assert [line.split("|")[1].strip() for line in lines[2:5]] == ["de-en", "ro-en", "ro-en"]


def test_the_table_is_of_the_largest_texts(report, records):
    text = report.write_table(records)
    assert "| ro-en | test | 99 | 25.0 |" in text
    assert "| 44 |" not in text
    assert "| mean | test |  | 22.5 |" in text


def test_a_line_of_each_pair_and_system(report, records, tmp_path, monkeypatch):
    from xalign_fairseq.evaluation.plots import figure

    drawn = []
    monkeypatch.setattr(figure, "save", lambda each, path: drawn.append(each))
    report.draw(records, tmp_path / "picture.png")
    _, sizes, costs = drawn[0].axes
    lines = [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in sizes.lines]
    assert lines == [([50], [20.0]), ([44, 99], [pytest.approx(32.0), 25.0]), ([44], [40.0])]
    assert [line.get_xdata().tolist() for line in costs.lines] == [[2.0], [2.0, 5.0], [2.0]]
