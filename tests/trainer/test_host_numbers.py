import pytest
import torch
from support.gpu_device import NoWaiting

from xalign_fairseq.trainer.host_numbers import (
    SampleSize,
    as_sample_size,
    counting,
    logged_sums,
    read_at_once,
    read_with_logs,
)


@pytest.mark.parametrize(("counts", "quotient"), [([3, 5], 0.25), ([0, 0], 2.0)])
def test_a_sample_size_divides_as_in_fairseq_without_synchronisation(counts, quotient, monkeypatch):
    monkeypatch.setattr(torch.Tensor, "__bool__", lambda tensor: pytest.fail("the host looks at the device"))
    size = 0
    for count in counts:
        size += as_sample_size(torch.tensor(count))
    size = size.float() if torch.is_tensor(size) else float(size)
    made = 2 / (size or 1.0)
    assert type(size) is SampleSize and type(made) is torch.Tensor and made.dtype == torch.float32
    assert made.item() == quotient


def test_sample_sizes_of_the_host_stay():
    assert as_sample_size(3) == 3 and type(as_sample_size(0)) is int


def test_a_norm_and_all_logs_are_read_at_once(monkeypatch):
    first = {"loss": torch.tensor(2.5), "count": torch.tensor(2**40 + 1), "n": 4}
    second = {"loss": torch.tensor([0.1]), "of": "x"}
    reads, read = [], torch.Tensor.tolist
    monkeypatch.setattr(torch.Tensor, "tolist", lambda tensor: (reads.append(tensor), read(tensor))[1])
    norm = read_with_logs(torch.tensor(0.3), [first, second])
    assert len(reads) == 1 and norm.equal(torch.tensor(0.3))
    assert first == {"loss": 2.5, "count": 2**40 + 1, "n": 4}
    assert second == {"loss": float(torch.tensor(0.1)), "of": "x"}
    assert read_with_logs(torch.tensor(torch.nan), []).isnan()
    assert read_at_once([]) == []


def test_a_stand_in_counts_nothing_and_all_logs_are_kept():
    def step(sample, ignore_grad):
        return "loss", torch.tensor(5), {"loss": torch.tensor(torch.nan), "n": 3, "of": "x"}

    logs = []
    counted = counting(step, logs)
    _, size, log = counted("a")
    _, none, left = counted("b", ignore_grad=True)
    assert (int(size), int(none)) == (5, 0) and logs[0] is log and logs[1] is left
    assert left == {"loss": 0, "n": 0, "of": "x"}


LOGS = [
    {"loss": torch.tensor(2.5), "count": torch.tensor(2**40 + 1), "exact": torch.tensor(0.1), "nsentences": 4},
    {"loss": torch.tensor(1.5, requires_grad=True), "count": torch.tensor(3), "exact": 0.25, "part": torch.tensor(1.0)},
]


def test_sums_are_those_of_the_values_one_by_one():
    sums = logged_sums(LOGS)
    exact = float(torch.tensor(0.1)) + 0.25
    assert sums == {"loss": 4.0, "count": 2.0**40 + 4, "exact": exact, "nsentences": 4, "part": 1.0}
    assert sums["what none has"] == 0.0
    assert logged_sums([]) == {} and logged_sums([{"nsentences": 2}, {"nsentences": 1}]) == {"nsentences": 3}


def test_all_values_are_read_at_once(monkeypatch):
    reads = []
    read = torch.Tensor.tolist
    with NoWaiting(monkeypatch):
        monkeypatch.setattr(torch.Tensor, "tolist", lambda tensor: (reads.append(tensor), read(tensor))[1])
        logged_sums(LOGS)
    assert len(reads) == 1
    monkeypatch.undo()
    with NoWaiting(monkeypatch), pytest.raises(AssertionError, match="the host waits"):
        sum(float(log["loss"]) for log in LOGS)
