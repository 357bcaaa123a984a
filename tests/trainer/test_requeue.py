import functools
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch.multiprocessing
from fairseq.distributed import utils

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.locks import locked_folder
from xalign_fairseq.trainer import requeue
from xalign_fairseq.trainer.requeue import HELD, hold

CFG, held = SimpleNamespace(checkpoint="folder"), []


@pytest.fixture
def call_main(monkeypatch):
    """fairseq's entry point with a function as the training."""
    before = signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    for name in ("received", "trains"):
        monkeypatch.setattr(requeue.Signalled, name, False)
    monkeypatch.setattr(requeue, "training_loop", lambda: sys.modules[__name__])
    monkeypatch.setattr(requeue, "hold", held.append)
    held.clear()
    with monkeypatch.context() as patch:
        patch.setattr(utils, "call_main", lambda cfg, main: main(cfg))
        requeue.install()
        yield utils.call_main
    signal.signal(signal.SIGUSR1, before)


def test_the_signal_is_received(call_main):
    call_main(CFG, lambda cfg: os.kill(os.getpid(), signal.SIGUSR1))
    assert requeue.Signalled.received


def test_another_program_of_fairseq_neither_listens_nor_holds(call_main):
    from fairseq_cli.validate import main

    call_main(SimpleNamespace(checkpoint="folder"), functools.wraps(main)(lambda cfg: None))
    assert not held and signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL


def test_another_handler_is_kept(call_main):
    heard = []
    signal.signal(signal.SIGUSR1, lambda *given: heard.append(1))
    call_main(CFG, lambda cfg: os.kill(os.getpid(), signal.SIGUSR1))
    assert heard and not requeue.Signalled.received


@pytest.mark.parametrize("trains", [False, True])
def test_the_parent_process_forwards_the_signal(call_main, monkeypatch, trains):
    """Children of a process that trains itself are data workers."""
    handed = []
    monkeypatch.setattr(requeue.Signalled, "trains", trains)
    monkeypatch.setattr(requeue.multiprocessing, "active_children", lambda: [SimpleNamespace(pid=11)])

    def main(cfg):
        monkeypatch.setattr(requeue.os, "kill", lambda *given: handed.append(given))
        signal.raise_signal(signal.SIGUSR1)

    call_main(CFG, main)
    assert handed == ([] if trains else [(11, signal.SIGUSR1)])


@pytest.mark.parametrize(
    ("code", "raised"),
    [(75, SystemExit), (-signal.SIGKILL, XalignError), (1, torch.multiprocessing.ProcessExitedException)],
)
def test_the_parent_process_ends_like_its_children(call_main, code, raised):
    def main(cfg):
        raise torch.multiprocessing.ProcessExitedException("ended", error_index=0, error_pid=11, exit_code=code)

    with pytest.raises(raised) as end:
        call_main(CFG, main)
    if raised is SystemExit:
        assert end.value.code == code
    if raised is XalignError:
        assert "killed" in str(end.value) and "memory" in str(end.value)


@pytest.mark.parametrize(
    ("variable", "value", "holds"), [("RANK", "0", True), ("RANK", "1", False), ("SLURM_PROCID", "3", False)]
)
def test_the_first_process_of_a_launcher_holds_the_folder(call_main, monkeypatch, variable, value, holds):
    monkeypatch.setenv(variable, value)
    call_main(CFG, lambda cfg: None)
    assert held == (["folder"] if holds else [])


HOLD = """
import sys
from types import SimpleNamespace
from xalign_fairseq.trainer.requeue import hold
hold(SimpleNamespace(save_dir=sys.argv[1], no_save=False))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def released():
    """Releases a test's locks afterwards."""
    yield
    requeue._locks.close()


def other(folder, **options):
    """Another process that holds the folder while its input is open."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", HOLD, folder], **pipes, text=True, **options)


def test_the_second_of_two_trainings_is_refused_until_the_first_has_ended(tmp_path):
    cfg = SimpleNamespace(save_dir=str(tmp_path / "12:30"), no_save=False)
    with other(tmp_path / "12:30") as first:
        assert first.stdout.readline() == "held\n"
        with pytest.raises(XalignError, match="another process"):
            hold(cfg)
        hold(SimpleNamespace(save_dir=str(tmp_path / "12:30"), no_save=True))
        first.communicate("")
    hold(cfg)
    hold(cfg)
    assert os.environ[HELD] == str(tmp_path / "12:30")
    with other(tmp_path / "12:30") as spawned:  # of this training, by its environment
        assert spawned.communicate("")[0] == "held\n"


def test_a_training_has_the_lock_of_its_launcher(tmp_path):
    with locked_folder(tmp_path) as lock, other(tmp_path, pass_fds=[lock]) as launched:
        assert launched.communicate("")[0] == "held\n"
    with locked_folder(tmp_path), other(tmp_path) as stranger:
        assert "another process" in stranger.communicate("")[1]
