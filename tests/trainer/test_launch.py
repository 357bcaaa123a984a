"""fairseq-train as a process, replaced by a program."""

import signal
from functools import partial

import pytest
from support.launched import put_program
from support.processes import is_alive, wait_for

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.locks import locked_folder
from xalign_fairseq.core.signals import Requeued
from xalign_fairseq.trainer.launch import FairseqTraining, run_training


@pytest.fixture
def instead(monkeypatch):
    """A function that replaces fairseq-train by a program."""
    return partial(put_program, monkeypatch)


def train(line, folder, hear=lambda line: None, **more):
    run_training(FairseqTraining(line, folder, **more), hear, say=lambda line: None)


def sessions(folder):
    return read_json(folder / "training.json")["sessions"]


def test_the_log_is_added_to_and_heard(instead, tmp_path):
    instead("import sys; print(*sys.argv[1:]); print('second', file=sys.stderr)")
    heard = []
    for _ in range(2):
        train(["data", "--lr", "1"], tmp_path / "run", heard.append)
    assert heard == ["data --lr 1\n", "second\n"] * 2
    assert (tmp_path / "run/train.log").read_text() == "data --lr 1\nsecond\n" * 2
    assert [each["exit"] for each in sessions(tmp_path / "run")] == [0, 0]


def test_the_record_names_the_optimizer_that_the_log_names(instead, tmp_path):
    line = "2026-01-02 03:04:05 | INFO | xalign_fairseq.trainer.trainer | optimizer: a.B"
    instead(f"print('optimizer: no line of the trainer'); print({line!r}); print('trains')")
    train(["data"], tmp_path)
    assert sessions(tmp_path)[0]["optimizer"] == "a.B"
    instead("print('optimizer: no line of the trainer')")
    train(["data"], tmp_path)
    assert "optimizer" not in sessions(tmp_path)[1]


def test_a_failure_shows_the_end_of_the_log_and_names_it(instead, tmp_path):
    instead("print('x' * 1000); print('all is well'); raise RuntimeError('out of luck')")
    with pytest.raises(XalignError, match=r"train\.log[\s\S]*exit code 1[\s\S]*x \.\.\.[\s\S]*out of luck") as error:
        train(["data"], tmp_path)
    assert "x" * 401 not in str(error.value)
    assert sessions(tmp_path)[0]["exit"] == 1


def test_the_error_of_a_killed_training_shows_how_to_resume(instead, tmp_path):
    instead("import os, signal; print('much log'); os.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(XalignError, match=r"was killed[\s\S]*for lack of memory[\s\S]*it resumes from") as error:
        train(["data"], tmp_path)
    assert "exit code" not in str(error.value) and "much log" not in str(error.value)
    assert sessions(tmp_path)[0]["exit"] == -9


def test_only_the_error_is_shown_for_an_input_error(instead, tmp_path):
    instead(
        "import sys; print('much log'); print('error: old'); print('error: no data-bin\\n  where: dato'); sys.exit(1)"
    )
    with pytest.raises(XalignError, match=r"^no data-bin\n  where: dato\n  log: .*train.log$") as error:
        train(["dato"], tmp_path)
    assert "much log" not in str(error.value)


@pytest.mark.parametrize(
    ("option", "value", "answer"),
    [
        ("--max-tkens", "3", r"unrecognized arguments: --max-tkens 3; did you mean --max-tokens\?\n"),
        ("--cpuu", "", r"unrecognized arguments: --cpuu; did you mean --cpu\?\n"),
        ("--criterion", "XLM_Alig", r"invalid choice: 'XLM_Alig'; did you mean xlm_align\?\n"),
        ("--criterion", "other", "invalid choice: 'other'\n  next: "),
        ("--lr", "x", "argument --lr: expected a number or a list of numbers, found 'x'\n"),
    ],
)
def test_a_mistyped_option_or_value_gets_suggestions(instead, tmp_path, option, value, answer):
    instead("""
        import argparse
        parser = argparse.ArgumentParser(allow_abbrev=False)
        parser.add_argument("--cpu"), [parser.add_argument(f"--an-option-of-fairseq-{number}") for number in range(500)]
        choices = [f"criterion_of_another_project_{number}" for number in range(30)] + ["xlm_align"]
        parser.add_argument("data"), parser.add_argument("--criterion", choices=choices)
        parser.add_argument("--max-tokens"), parser.add_argument("--lr", type=lambda text: float(text))
        parser.parse_args()
    """)
    with pytest.raises(XalignError, match=answer):
        train(["data", option, value], tmp_path)


def test_one_training_at_a_time_in_a_folder(instead, tmp_path):
    instead("pass")
    with locked_folder(tmp_path), pytest.raises(XalignError, match="another process"):
        train(["data"], tmp_path)
    assert not (tmp_path / "training.json").exists()


def test_the_training_holds_the_lock_of_its_caller(instead, tmp_path):
    with locked_folder(tmp_path) as lock:
        instead(f"import os; print(os.fstat({lock}).st_ino)")
        heard = []
        train(["data"], tmp_path, heard.append, lock=lock)
    assert heard == [f"{(tmp_path / '.lock').stat().st_ino}\n"]


def test_only_the_runs_own_checkpoints_are_repaired(instead, tmp_path):
    instead("pass")
    (tmp_path / "checkpoint_last.pt").write_bytes(b"half")
    train(["data"], tmp_path)
    assert (tmp_path / "checkpoint_last.pt").exists()
    said = []
    run_training(FairseqTraining(["data"], tmp_path, save_dir=tmp_path), lambda line: None, said.append)
    assert not (tmp_path / "checkpoint_last.pt").exists() and "training starts from the beginning" in said[1]


@pytest.mark.parametrize("program", ["signal.signal(signal.SIGUSR1, lambda *_: sys.exit(75))", "pass"])
def test_sigusr1_is_forwarded_and_is_not_a_failure(instead, tmp_path, program):
    """It kills the second program, like fairseq-train before its handler is set."""
    instead(f"import signal, sys, time; {program}; print('ready'); time.sleep(60)")
    before = signal.getsignal(signal.SIGUSR1)
    with pytest.raises(Requeued):
        train(["data"], tmp_path, lambda line: signal.raise_signal(signal.SIGUSR1))
    assert sessions(tmp_path)[0]["exit"] == (-signal.SIGUSR1 if program == "pass" else 75)
    assert signal.getsignal(signal.SIGUSR1) == before


def test_ctrl_c_ends_the_training(instead, tmp_path):
    instead("import os, time; print(os.getpid()); time.sleep(60)")
    found = []

    def interrupt(line):
        found.append(int(line))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(["data"], tmp_path, interrupt)
    wait_for(lambda: not is_alive(found[0]))
    [session] = sessions(tmp_path)
    assert session["ended"] and session["exit"] is None
