"""Two trainings by hand in one folder."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.locks import alone
from xalign_fairseq.trainer import holding
from xalign_fairseq.trainer.holding import HELD, hold

HOLD = """
import sys
from types import SimpleNamespace
from xalign_fairseq.trainer.holding import hold
hold(SimpleNamespace(save_dir=sys.argv[1], no_save=False))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def released(monkeypatch):
    """What a test holds is free afterwards."""
    monkeypatch.delenv(HELD, raising=False)
    yield
    holding._locks.close()


def other(folder, **options):
    """Another process that holds the folder as long as its input is open."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", HOLD, folder], **pipes, text=True, **options)


def test_the_second_of_two_trainings_is_refused_and_goes_when_the_first_has_ended(tmp_path):
    cfg = SimpleNamespace(save_dir=str(tmp_path / "run"), no_save=False)
    with other(tmp_path / "run") as first:
        assert first.stdout.readline() == "held\n"
        with pytest.raises(XalignError, match="another process"):
            hold(cfg)
        hold(SimpleNamespace(save_dir=str(tmp_path / "run"), no_save=True))
        first.communicate("")
    hold(cfg)
    hold(cfg)
    assert os.environ[HELD] == str(tmp_path / "run")
    with other(tmp_path / "run") as spawned:  # of this training, by the environment
        assert spawned.communicate("")[0] == "held\n"


def test_a_training_has_the_lock_of_its_launcher(tmp_path):
    with alone(tmp_path) as lock, other(tmp_path, pass_fds=[lock]) as launched:
        assert launched.communicate("")[0] == "held\n"
    with alone(tmp_path), other(tmp_path) as stranger:
        assert "another process" in stranger.communicate("")[1]
