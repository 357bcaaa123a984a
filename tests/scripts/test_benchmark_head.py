"""The benchmark of the head: what it compares, and what it writes."""

import json

import pytest
import torch

from xalign_fairseq.core.errors import XalignError


@pytest.fixture
def benchmark(script):
    return script("benchmark_head")


@pytest.fixture
def contestants(script):
    return script("head_contestants")


CASES = ["--predictions", "6", "--vocabulary", "50", "--precision", "float32"]


@pytest.fixture
def measured(benchmark, contestants, monkeypatch):
    """Stands for the processes; what they find by contestant, which a test may change."""
    found = {
        "eager": {"seconds": [4.0, 2.0], "extra_mb": 1000.0, "loss": 20.0},
        "ours": {"seconds": [1.0, 1.5], "extra_mb": 250.0, "loss": 20.0},
        "checkpointed": {"seconds": [3.0], "extra_mb": 1200.0, "loss": 20.0001},
    }

    class Process:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

        def submit(self, function, name, case, threads, seconds):
            self.result = lambda: dict(found[name])
            return self

    monkeypatch.setattr(benchmark, "ProcessPoolExecutor", lambda *given: Process())
    monkeypatch.setattr(contestants, "available", lambda: list(found))
    return found


@pytest.mark.usefixtures("measured")
def test_the_fastest_runs_side_by_side_and_others_at_the_first_size(benchmark, tmp_path):
    benchmark.main([*CASES, "--hidden", "4", "2", "--out", str(tmp_path)])
    results = json.loads((tmp_path / "head.json").read_text())
    assert [case["hidden"] for case in results["cases"]] == [4, 2] and results["seed"] == 1
    assert results["cases"][1]["contestants"]["ours"] == {"seconds": [1.0, 1.5], "extra_mb": 250.0}
    lines = (tmp_path / "head.md").read_text().splitlines()
    assert lines[0] == "| predictions | vocabulary | hidden | products in | eager | ours | checkpointed |"
    assert lines[2:4] == [
        "| 6 | 50 | 4 | float32 | 2 s, 1,000 MB | 1 s (0.50), 250 MB (0.25) | 3 s (1.50), 1,200 MB (1.20) |",
        "| 6 | 50 | 2 | float32 | 2 s, 1,000 MB | 1 s (0.50), 250 MB (0.25) |  |",
    ]
    assert str(tmp_path) not in "".join(lines)


def test_another_loss_is_an_error(benchmark, measured, tmp_path):
    measured["ours"]["loss"] = 20.1
    with pytest.raises(XalignError, match="losses of one problem differ"):
        benchmark.main([*CASES, "--hidden", "4", "--out", str(tmp_path)])
    assert not (tmp_path / "head.json").exists()


def test_contestants_have_the_same_loss_and_gradients(contestants, monkeypatch):
    monkeypatch.setattr(contestants, "ROWS", 4)
    torch.manual_seed(0)
    given = [torch.randn(shape).requires_grad_() for shape in ((6, 3), (20, 3), (20,))]
    labels = torch.randint(20, (6,))
    found = {name: contestants.CONTESTANTS[name](*given, labels) for name in contestants.available()}
    assert {"eager", "ours", "checkpointed"} <= found.keys()
    gradients = {name: torch.autograd.grad(loss, given) for name, loss in found.items()}
    for name, loss in found.items():
        torch.testing.assert_close(loss, found["eager"])
        torch.testing.assert_close(gradients[name], gradients["eager"])


def test_a_contestant_is_measured(benchmark):
    case = {"predictions": 6, "vocabulary": 50, "hidden": 4, "precision": "bfloat16"}
    found = [benchmark.measure(name, case, 1, 0.0) for name in ("eager", "ours")]
    assert all(len(each["seconds"]) == 1 and each["extra_mb"] >= 0 for each in found)
    assert found[0]["loss"] == pytest.approx(found[1]["loss"], rel=1e-3)
