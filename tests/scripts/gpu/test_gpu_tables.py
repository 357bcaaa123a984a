"""GPU runs and measured budgets in the documents."""

import json

import pytest


@pytest.fixture
def tables(gpu_script):
    return gpu_script("gpu_tables")


def test_runs_have_a_line_each_and_a_column_for_each_stage(tables):
    about = {"device": "NVIDIA H100", "driver": "580.1", "torch": "2.11.0", "cuda": "13.0", "python": "3.12.3"}
    passed, tests = {"status": "passed"}, {"status": "failed", "tests": [40, 1, 2]}
    found = tables.runs(
        [
            {**about, "commit": "abc1234", "date": "2026-11-22", "stages": {"doctor": passed, "tests": tests}},
            {**about, "commit": "fff0000", "date": "2026-11-21", "stages": {"doctor": passed}},
        ]
    )
    assert found.splitlines()[0] == "| GPU | with | commit | date | doctor | tests |"
    assert "| abc1234 | 2026-11-22 | passed | failed: 40 passed, 1 failed, 2 skipped |" in found
    assert "| fff0000 | 2026-11-21 | passed | not measured |" in found


def sinkhorn(ours, theirs):
    """Rows as benchmark_sinkhorn.py writes them on a GPU."""
    large = {"group": "large", "dtype": "bfloat16", "pairs": 2048, "size": "n = 64", "iterations": 2}
    few = {**large, "group": "few", "pairs": 64}
    return [
        {"program": "xalign", **large, "seconds": ours, "times_read": ours, "f1": 0.997},
        {"program": "torch, eager", **large, "seconds": theirs, "times_read": theirs, "f1": 0.997},
        {"program": "xalign", **few, "pairs": 8, "seconds": 1.0, "f1": 0.997},
        {"program": "xalign", **few, "seconds": 5e-5, "f1": 0.9949},
        {"program": "xalign, CUDA graph", **few, "seconds": 2e-5, "f1": 0.9949},
        {"program": "torch, eager", **few, "seconds": 5e-4, "f1": 0.9949},
        {"program": "xalign", "dtype": "bfloat16", "size": "n = 32", "failed": "out of memory"},
        {"program": "xalign", "dtype": "float32", "pairs": 64, "seconds": 1.0, "f1": 1.0},
    ]


def test_measured_figures_stand_beside_their_budgets(tables, tmp_path):
    files = {
        "sinkhorn": sinkhorn(1.25, 4.0),
        "aligner": [
            {"encoder": "BERT", "tool": "simalign", "method": "itermax", "times_simalign": 1.0},
            {"encoder": "BERT", "tool": "xalign", "method": "itermax", "dtype": "float32", "times_simalign": 6.0},
            {"encoder": "BERT", "tool": "xalign", "method": "itermax", "dtype": "bfloat16", "times_simalign": 12.0},
            {"encoder": "e5", "tool": "xalign", "method": "itermax", "dtype": "bfloat16", "times_simalign": 30.0},
        ],
        "training": [
            {"contestant": "fairseq", "arch": "base", "dtype": "bfloat16", "times_fairseq": [1.0, 1.0, 1.0]},
            {"contestant": "xalign, MLM + TLM", "arch": "base", "dtype": "bfloat16", "times_fairseq": [1.9, 1.8, 2.1]},
        ],
    }
    for name, rows in files.items():
        (tmp_path / f"{name}-cuda.json").write_text(json.dumps({"rows": rows}))
    cells = [line.split(" | ")[1:] for line in tables.budgets(tmp_path).splitlines()[2:]]
    found = [(value, met.removesuffix(" |")) for value, met in cells]
    assert found == [
        ("1.25", "met"),
        ("3.2", "missed"),
        ("25", "met"),
        ("0.9949", "missed"),
        ("1.9", "missed"),
        ("12", "met"),
    ]
