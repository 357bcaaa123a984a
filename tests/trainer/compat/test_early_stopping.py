import sys
from types import SimpleNamespace

import pytest
import torch
from fairseq import trainer
from fairseq_cli import train

from xalign_fairseq.trainer import compat
from xalign_fairseq.trainer.compat import early_stopping

compat.apply()
CFG = SimpleNamespace(checkpoint=SimpleNamespace(patience=3, maximize_best_checkpoint_metric=False))
VALUES = [0.5, 0.6, 0.7, 0.65]  # the fourth is the third without improvement


@pytest.fixture(autouse=True)
def restart(monkeypatch):
    """Begins a process in which nothing has been validated; the first has begun, and the last goes with the test."""
    stop = train.should_stop_early
    for name in ("best", "num_runs"):
        monkeypatch.setattr(stop, name, None, raising=False)

    def begin():
        vars(stop).pop("best", None)
        vars(stop).pop("num_runs", None)

    begin()
    return begin


def save(path):
    """What a checkpoint holds that the patched trainer writes."""
    saving = SimpleNamespace(
        should_save_checkpoint_on_current_rank=True,
        state_dict=lambda: {"model": {}, "extra_state": {"metrics": 1}},
        cfg=SimpleNamespace(checkpoint=SimpleNamespace(write_checkpoints_asynchronously=False)),
    )
    trainer.Trainer.save_checkpoint(saving, str(path), {"val_loss": 0.7})
    return torch.load(path)["extra_state"]


@pytest.fixture
def load(monkeypatch):
    """The function that has a patched trainer read a checkpoint with this extra state."""

    def read(extra_state, **reset):
        class Reading:
            def load_checkpoint(self, *args):
                return extra_state

            def save_checkpoint(self, *args):
                pass

        with monkeypatch.context() as patch:
            patch.setattr(trainer, "Trainer", Reading)
            early_stopping.install()
        return Reading().load_checkpoint("checkpoint.pt", **reset)

    return read


def validate(*values):
    return [train.should_stop_early(CFG, value) for value in values]


def test_a_resumed_run_ends_where_an_uninterrupted_one_does(restart, load, tmp_path):
    assert validate(*VALUES) == [False, False, False, True]
    restart()
    validate(*VALUES[:3])
    extra_state = save(tmp_path / "checkpoint.pt")
    assert extra_state == {"metrics": 1, "val_loss": 0.7, "early_stopping": {"best": 0.5, "num_runs": 2}}
    restart()
    assert load(extra_state) is extra_state
    assert validate(VALUES[3]) == [True]


@pytest.mark.parametrize("reset", [{"reset_optimizer": True}, {"reset_meters": True}])
def test_what_begins_anew_from_a_checkpoint_counts_anew(load, reset):
    load({"early_stopping": {"best": 0.5, "num_runs": 2}}, **reset)
    assert validate(0.6) == [False]
    assert train.should_stop_early.best == 0.6


def test_checkpoints_without_a_count_are_read_and_written(load, tmp_path):
    assert load(None) is None
    assert load({"val_loss": 1}) == {"val_loss": 1}
    assert "early_stopping" not in save(tmp_path / "checkpoint.pt")
    assert validate(0.6) == [False]


def test_a_program_that_is_fairseq_train_itself_counts_too(restart, load, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "fairseq_cli.train")
    monkeypatch.setitem(sys.modules, "__main__", train)  # python -m fairseq_cli.train
    validate(0.5, 0.6)
    extra_state = save(tmp_path / "checkpoint.pt")
    restart()
    load(extra_state)
    assert validate(0.7, 0.8) == [False, True]
