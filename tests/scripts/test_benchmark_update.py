"""The benchmark of an update's host time: its table, and what it counts."""

import pytest
import torch


@pytest.fixture
def benchmark(script):
    return script("benchmark_update")


def test_the_table_has_medians_ratios_and_the_commit_before(benchmark):
    def row(name, launches, waits, *times):
        return {"contestant": name, "dtype": "float32", "milliseconds": times, "launches": launches, "waits": waits}

    found = {
        "rows": [row("fairseq", 3010, 36, 10.0, 30.0, 20.0), row("ours", 721, 1, 5.0, 18.0, 9.0)],
        "before": {"float32, ours": {"launches": 1800, "waits": 5}},
        "before_commit": "abc1234",
        "rounds": 3,
        "machine": "a CPU",
        "versions": {"torch": "2"},
        "seed": 1,
        "commit": "fff0000",
        "command": "it",
    }
    text = benchmark.report(found)
    assert "| fairseq | float32 | 3,010 | 36 | 20 | 1.00 |" in text
    assert "| ours | float32 | 721 (1,800) | 1 (5) | 9 | 0.50 |" in text
    assert "in brackets: commit abc1234" in text and "commit fff0000" in text


def test_launches_and_waits_of_the_device_are_counted(script, monkeypatch):
    x = torch.arange(4.0)
    with script("launches").Launches(monkeypatch) as found:
        y = (x.view(2, 2) + 1).t()  # one kernel; views and new memory are none
        torch.empty(3)
        number = torch.tensor(y.sum().item())  # another one, and a wait
        float(number * 2)  # of the host: neither
        copied = y.cpu()
        bool(copied.any())
        torch._foreach_copy_([x], [y.flatten()])
        x.nonzero()
    assert found.kernels == {"add": 1, "sum": 1, "clone": 1, "_foreach_copy_": 1}
    assert found.waits == {"aten._local_scalar_dense": 1, "cpu": 1, "aten.nonzero": 1}
