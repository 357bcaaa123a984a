import os
import signal
from types import SimpleNamespace

import pytest
import torch.multiprocessing
from fairseq import checkpoint_utils, trainer
from fairseq.distributed import utils
from fairseq_cli import train as loop
from omegaconf import OmegaConf

from xalign_fairseq.trainer.compat import requeue


class Small:
    """A trainer; of two processes the other one has summed its counts up to these."""

    others = 0.0
    data_parallel_world_size = 1

    def get_num_updates(self):
        return 7

    def _aggregate_logging_outputs(self, logs, *counts, ignore=False):
        return logs, [2 * count for count in counts[:-1]] + [counts[-1] + self.others]


@pytest.fixture
def patched(monkeypatch):
    """A patched trainer, and the calls of what is patched."""
    calls = []
    before = signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    monkeypatch.setattr(requeue._State, "heard", False)
    monkeypatch.setattr(requeue._State, "agreed", False)
    monkeypatch.setattr(requeue._State, "trains", False)
    monkeypatch.setattr(loop, "validate_and_save", lambda *given: ([None], False))
    monkeypatch.setattr(checkpoint_utils, "save_checkpoint", lambda *given: calls.append(given) or "last.pt")
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "Trainer", type("Trainer", (Small,), dict(vars(Small), __init__=lambda self: None)))
        patch.setattr(utils, "call_main", lambda cfg, main: main(cfg))
        requeue.install()
        yield SimpleNamespace(trainer=trainer.Trainer, call_main=utils.call_main, calls=calls)
    signal.signal(signal.SIGUSR1, before)


@pytest.fixture
def cfg():
    return OmegaConf.create({"checkpoint": {"no_save": True, "no_last_checkpoints": True}})


def validate(cfg, made):
    return loop.validate_and_save(cfg, made, None, "place", ["valid"], False)


def test_a_run_goes_on_until_it_is_told(patched, cfg):
    made = patched.trainer()
    assert validate(cfg, made) == ([None], False) and not patched.calls
    os.kill(os.getpid(), signal.SIGUSR1)
    with pytest.raises(SystemExit) as end:
        validate(cfg, made)
    assert end.value.code == requeue.REQUEUE == 75
    ((saved, by, place, loss),) = patched.calls
    assert (by, place, loss) == (made, "place", None)
    assert not saved.no_save and not saved.no_last_checkpoints  # it must be there


@pytest.mark.parametrize("saved", ["checkpoint_last.pt", None])
def test_what_was_saved_is_told_and_what_was_not(patched, cfg, monkeypatch, caplog, saved):
    monkeypatch.setattr(checkpoint_utils, "save_checkpoint", lambda *given: saved)
    caplog.set_level("INFO")
    made = patched.trainer()
    os.kill(os.getpid(), signal.SIGUSR1)
    with pytest.raises(SystemExit):
        validate(cfg, made)
    what = "saved" if saved else "ends without a new checkpoint"
    assert f"SIGUSR1: {what} at update 7; the same command goes on" in caplog.text


def test_a_run_that_ends_anyway_ends_as_ever(patched, cfg, monkeypatch):
    monkeypatch.setattr(loop, "validate_and_save", lambda *given: ([0.5], True))
    made = patched.trainer()
    os.kill(os.getpid(), signal.SIGUSR1)
    assert validate(cfg, made) == ([0.5], True) and not patched.calls


@pytest.mark.parametrize(("others", "ends"), [(0.0, False), (1.0, True)])
def test_what_one_process_has_heard_all_know_after_the_update(patched, cfg, others, ends):
    made = patched.trainer()
    made.others, made.data_parallel_world_size = others, 2
    assert made._aggregate_logging_outputs(["logs"], 1, 2, ignore=True) == (["logs"], [2, 4])
    if ends:
        with pytest.raises(SystemExit):
            validate(cfg, made)
    else:
        validate(cfg, made)


def test_a_process_of_several_waits_until_all_know(patched, cfg):
    made = patched.trainer()
    made.data_parallel_world_size = 2
    made._aggregate_logging_outputs(["logs"], 1)
    os.kill(os.getpid(), signal.SIGUSR1)  # the others may be in their next update, whose counts wait for this process
    assert validate(cfg, made) == ([None], False) and not patched.calls
    made._aggregate_logging_outputs(["logs"], 1)
    with pytest.raises(SystemExit):
        validate(cfg, made)


def test_somebody_elses_handler_stays(patched, cfg):
    heard = []
    signal.signal(signal.SIGUSR1, lambda *given: heard.append(1))
    made = patched.trainer()
    os.kill(os.getpid(), signal.SIGUSR1)
    assert heard and validate(cfg, made) == ([None], False)


def test_who_starts_the_others_hands_the_signal_on_and_has_their_code(patched, monkeypatch):
    handed = []
    monkeypatch.setattr(requeue.multiprocessing, "active_children", lambda: [SimpleNamespace(pid=11)])

    def main(cfg):
        monkeypatch.setattr(requeue.os, "kill", lambda *given: handed.append(given))
        signal.raise_signal(signal.SIGUSR1)
        raise torch.multiprocessing.ProcessExitedException("ended", error_index=0, error_pid=11, exit_code=75)

    with pytest.raises(SystemExit) as end:
        patched.call_main(None, main)
    assert end.value.code == 75 and handed == [(11, signal.SIGUSR1)]

    def fails(cfg):
        raise torch.multiprocessing.ProcessExitedException("ended", error_index=0, error_pid=11, exit_code=1)

    with pytest.raises(torch.multiprocessing.ProcessExitedException):
        patched.call_main(None, fails)


def test_it_is_needed_with_this_fairseq():
    assert requeue.needed()
