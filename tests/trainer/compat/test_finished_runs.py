from types import SimpleNamespace

import pytest
from fairseq import trainer
from fairseq_cli import train as loop

from xalign_fairseq.trainer.compat import finished_runs


@pytest.fixture
def patched(monkeypatch):
    """fairseq-train's ``train``, patched as a trainer is made, over one that tells that it was called."""
    monkeypatch.setattr(loop, "train", lambda cfg, trainer, task, epoch_itr: "trained")
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "Trainer", type("Trainer", (), {"__init__": lambda self: None}))
        finished_runs.install()
        trainer.Trainer()
    return loop.train


def config(most=0, patience=-1):
    return SimpleNamespace(optimization=SimpleNamespace(max_update=most), checkpoint=SimpleNamespace(patience=patience))


@pytest.mark.parametrize(
    ("updates", "most", "expected"),
    [(5, 6, "trained"), (6, 6, ([None], True)), (7, 6, ([None], True)), (5, 0, "trained")],
)
def test_an_epoch_is_trained_unless_all_updates_are_there(patched, updates, most, expected):
    assert patched(config(most), SimpleNamespace(get_num_updates=lambda: updates), None, None) == expected


@pytest.mark.parametrize(
    ("counted", "patience", "expected"),
    [(2, 3, "trained"), (3, 3, ([None], True)), (3, 4, "trained"), (3, -1, "trained"), (None, 3, "trained")],
)
def test_an_epoch_is_trained_unless_patience_is_at_its_end(patched, counted, patience, expected, monkeypatch):
    if counted is not None:
        monkeypatch.setattr(loop.should_stop_early, "num_runs", counted, raising=False)
    cfg = config(patience=patience)
    assert patched(cfg, SimpleNamespace(get_num_updates=lambda: 5), None, None) == expected


def test_it_is_needed_with_this_fairseq():
    assert finished_runs.needed()
