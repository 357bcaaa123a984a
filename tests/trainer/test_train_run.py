"""fairseq-train as a process of another, by a program in its place."""

import signal
import subprocess
import sys
import textwrap
import time

import pytest
from support.processes import is_alive, wait_for

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.locks import alone
from xalign_fairseq.trainer import train_run


@pytest.fixture
def instead(monkeypatch):
    """The function that has a program stand for fairseq-train."""

    def put(program):
        monkeypatch.setattr(train_run, "FAIRSEQ_TRAIN", (sys.executable, "-S", "-u", "-c", textwrap.dedent(program)))

    return put


def test_the_log_is_added_to_and_heard(instead, tmp_path):
    instead("import sys; print(*sys.argv[1:]); print('second', file=sys.stderr)")
    heard = []
    for _ in range(2):
        assert train_run.train(["data", "--lr", "1"], tmp_path / "run", heard.append) == 0
    assert heard == ["data --lr 1\n", "second\n"] * 2
    assert (tmp_path / "run/train.log").read_text() == "data --lr 1\nsecond\n" * 2
    assert [each["exit"] for each in read_json(tmp_path / "run/training.json")["sessions"]] == [0, 0]


def test_a_failure_shows_the_end_of_the_log_and_names_it(instead, tmp_path):
    instead("print('x' * 1000); print('all is well'); raise RuntimeError('out of luck')")
    with pytest.raises(XalignError, match=r"train\.log[\s\S]*exit code 1[\s\S]*x \.\.\.[\s\S]*out of luck") as error:
        train_run.train(["data"], tmp_path, lambda line: None)
    assert "x" * 401 not in str(error.value)
    assert read_json(tmp_path / "training.json")["sessions"][0]["exit"] == 1


def test_of_an_error_in_the_input_the_error_alone_is_shown(instead, tmp_path):
    instead(
        "import sys; print('much log'); print('error: old'); print('error: no data-bin\\n  where: dato'); sys.exit(1)"
    )
    with pytest.raises(XalignError, match=r"output:\nerror: no data-bin\n  where: dato") as error:
        train_run.train(["dato"], tmp_path, lambda line: None)
    assert "much log" not in str(error.value)


def test_a_mistyped_option_is_answered_with_those_like_it(instead, tmp_path):
    instead("""
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("data"), parser.add_argument("--max-tokens"), parser.add_argument("--batch-size")
        parser.parse_args()
    """)
    with pytest.raises(XalignError, match=r"found: unrecognized arguments: --max-tkens 3\n  expected: --max-tokens\n"):
        train_run.train(["data", "--max-tkens", "3"], tmp_path, lambda line: None)


@pytest.mark.parametrize(("given", "near"), [("xlm_alig", "expected: xlm_align\n"), ("other", "next: ")])
def test_a_mistyped_value_is_answered_with_those_like_it_and_not_with_a_list_of_all(instead, tmp_path, given, near):
    instead("""
        import argparse
        parser = argparse.ArgumentParser()
        choices = [f"criterion_of_another_project_{number}" for number in range(30)] + ["xlm_align"]
        parser.add_argument("data"), parser.add_argument("--criterion", choices=choices)
        parser.parse_args()
    """)
    with pytest.raises(XalignError, match=f"invalid choice: '{given}'\n  {near}"):
        train_run.train(["data", "--criterion", given], tmp_path, lambda line: None)


def test_one_training_at_a_time_in_a_folder(instead, tmp_path):
    instead("pass")
    with alone(tmp_path), pytest.raises(XalignError, match="another process"):
        train_run.train(["data"], tmp_path, lambda line: None)
    assert not (tmp_path / "training.json").exists()


def test_sigusr1_is_handed_on_and_75_is_no_failure(instead, tmp_path):
    instead("""
        import signal, sys, time
        signal.signal(signal.SIGUSR1, lambda *_: sys.exit(75))
        print("ready")
        time.sleep(60)
    """)
    before = signal.getsignal(signal.SIGUSR1)
    code = train_run.train(["data"], tmp_path, lambda line: signal.raise_signal(signal.SIGUSR1))
    assert code == train_run.QUEUE_AGAIN
    assert signal.getsignal(signal.SIGUSR1) == before


def test_ctrl_c_ends_what_was_started(instead, tmp_path):
    instead("import os, time; print(os.getpid()); time.sleep(60)")
    found = []

    def interrupt(line):
        found.append(int(line))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_run.train(["data"], tmp_path, interrupt)
    wait_for(lambda: not is_alive(found[0]))
    [session] = read_json(tmp_path / "training.json")["sessions"]
    assert session["ended"] and session["exit"] is None


def test_the_training_does_not_outlive_its_killed_parent(tmp_path):
    program = f"""
        import sys
        from pathlib import Path
        from xalign_fairseq.trainer import train_run
        code = "import os, time; print(os.getpid()); time.sleep(60)"
        train_run.FAIRSEQ_TRAIN = (sys.executable, "-S", "-u", "-c", code)
        train_run.train(["data"], Path({str(tmp_path)!r}), lambda line: print(line, flush=True))
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE) as parent:
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
    wait_for(lambda: not is_alive(child))
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            with alone(tmp_path):  # the lock went with both
                return
        except XalignError:
            time.sleep(0.1)
    raise AssertionError("the folder is still held")
