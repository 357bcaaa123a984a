"""The benchmark of trimming: what it compares, and what it writes."""

import json

import pytest

from xalign_fairseq.core.errors import XalignError


@pytest.fixture
def benchmark(script):
    return script("benchmark_trimming")


@pytest.fixture
def text(tmp_path):
    for side in ("a.xx", "a.yy"):
        (tmp_path / side).write_text("the red house\nAnn likes bread .\nBob sees the dog .\n")
    return [str(tmp_path / side) for side in ("a.xx", "a.yy")]


@pytest.fixture
def measured(benchmark, monkeypatch):
    """Stands for the processes; what they find, which a test may change."""
    found = {
        "whole": {"ids": 250002, "parameters": 118_000_000, "tokens": 1000, "states": "same"},
        "trimmed": {"ids": 26000, "parameters": 32_000_000, "tokens": 1000, "states": "same"},
    }
    seconds = {"whole": iter([9.0, 4.0, 5.0, 6.0]), "trimmed": iter([9.0, 2.0, 1.0, 2.5])}

    class Process:
        def __init__(self, kind):
            self.kind = kind

        def submit(self, function, *given):
            answers = {
                "_begin": lambda: dict(found[self.kind]),
                "_round": lambda: next(seconds[self.kind]),
                "_peak": lambda: 2048.0,
            }
            self.result = answers[function.__name__]
            return self

        def shutdown(self, cancel_futures):
            pass

    kinds = iter(benchmark.KINDS)
    monkeypatch.setattr(benchmark, "ProcessPoolExecutor", lambda *given: Process(next(kinds)))
    monkeypatch.setattr(
        benchmark, "make_models", lambda name, work, text: dict.fromkeys(benchmark.KINDS, (name, "data"))
    )
    return found


@pytest.mark.usefixtures("measured")
def test_medians_without_the_first_round(benchmark, text, tmp_path):
    benchmark.main(["--text", *text, "--model", "some", "--rounds", "3", "--out", str(tmp_path / "out")])
    results = json.loads((tmp_path / "out/trimming.json").read_text())
    assert results["models"]["some"]["whole"]["tokens_per_second"] == 200
    assert results["models"]["some"]["trimmed"] == {
        "ids": 26000, "parameters": 32_000_000, "tokens_per_second": 500, "seconds": [2.0, 1.0, 2.5], "peak_mb": 2048.0
    }  # fmt: skip
    lines = (tmp_path / "out/trimming.md").read_text().splitlines()
    assert lines[2:4] == [
        "| some | whole | 250,002 | 118.0 million | 2.0 GB | 200 (1.00) |",
        "| some | trimmed | 26,000 | 32.0 million | 2.0 GB | 500 (2.50) |",
    ]
    assert "a.xx and a.yy (3 pairs)" in lines[5] and str(tmp_path) not in "".join(lines)


@pytest.mark.parametrize("differing", ["states", "tokens"])
def test_models_that_differ_on_the_text_are_not_compared(benchmark, measured, text, tmp_path, differing):
    measured["trimmed"][differing] = "others"
    with pytest.raises(XalignError, match=differing):
        benchmark.main(["--text", *text, "--model", "some", "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_small_model_is_measured(benchmark, transfer_encoder, text, tmp_path):
    line = ["--text", *text, "--model", str(transfer_encoder), "--pairs", "2", "--batches", "1", "--rounds", "1"]
    benchmark.main([*line, "--out", str(tmp_path / "out")])
    [found] = json.loads((tmp_path / "out/trimming.json").read_text())["models"].values()
    assert found["whole"]["tokens_per_second"] > 0 and found["trimmed"]["peak_mb"] > 0
