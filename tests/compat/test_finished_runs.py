from types import SimpleNamespace

import pytest
from fairseq import trainer
from fairseq_cli import train as loop

from xalign_fairseq.compat import finished_runs


@pytest.fixture
def patched(monkeypatch):
    """fairseq-train's ``train``, patched as a trainer is made, over one that tells that it was called."""
    monkeypatch.setattr(loop, "train", lambda cfg, trainer, task, epoch_itr: "trained")
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "Trainer", type("Trainer", (), {"__init__": lambda self: None}))
        finished_runs.install()
        trainer.Trainer()
    return loop.train


@pytest.mark.parametrize(
    ("updates", "most", "expected"),
    [(5, 6, "trained"), (6, 6, ([None], True)), (7, 6, ([None], True)), (5, 0, "trained")],
)
def test_an_epoch_is_trained_unless_all_updates_are_there(patched, updates, most, expected):
    cfg = SimpleNamespace(optimization=SimpleNamespace(max_update=most))
    assert patched(cfg, SimpleNamespace(get_num_updates=lambda: updates), None, None) == expected


def test_it_is_needed_with_this_fairseq():
    assert finished_runs.needed()
