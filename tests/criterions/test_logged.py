import pytest
import torch
from support.gpu_device import NoWaiting

from xalign_fairseq.criterions.logged import logged_sums

LOGS = [
    {"loss": torch.tensor(2.5), "count": torch.tensor(2**40 + 1), "exact": torch.tensor(0.1), "nsentences": 4},
    {"loss": torch.tensor(1.5, requires_grad=True), "count": torch.tensor(3), "exact": 0.25, "part": torch.tensor(1.0)},
]


def test_sums_are_those_of_the_values_one_by_one():
    sums = logged_sums(LOGS)
    assert sums == {
        "loss": 4.0,
        "count": 2.0**40 + 4,
        "exact": float(torch.tensor(0.1)) + 0.25,
        "nsentences": 4,
        "part": 1.0,
    }
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
