"""The script that breaks runs off: what it compares, and a run of prepare and one of align killed in their middle."""

import importlib
import json
import shutil
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def trials(script):
    return script("faults_trials")


@pytest.fixture(scope="module")
def warm():
    """One server for all tests: it imports as long as they take together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        made = importlib.import_module("faults_warm").Warm()
    yield made
    made.server.communicate()


@pytest.fixture
def steps(script, warm, tmp_path):
    """Trials of a program that goes on with its own output: ten numbers, one each twentieth of a second."""
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, time, pathlib\n"
        "out = pathlib.Path(sys.argv[1])\n"
        "while len(out.read_text() if out.exists() else '') < 10:\n"
        "    out.write_text((out.read_text() if out.exists() else '') + 'x')\n"
        "    time.sleep(0.05)\n"
    )
    runs, trials = script("faults_runs"), script("faults_trials")

    def make(program=program, name="steps"):
        command = lambda out: [sys.executable, str(program), str(out / "numbers")]  # noqa: E731
        return trials.Broken(runs.Run(name, command, runs.files), tmp_path, warm)

    return make


def test_digests_tell_every_bit_apart(script):
    digest = script("faults_runs").digest
    state = {"a": torch.ones(2, 2), "b": [1, {"c": torch.zeros(3, dtype=torch.bfloat16)}], "d": np.arange(3)}
    assert digest(state) == digest({key: state[key] for key in reversed(state)})
    others = [
        {**state, "a": torch.ones(4)},
        {**state, "d": np.arange(3.0)},
        {**state, "b": [1, {"c": torch.zeros(3)}]},
        {**state, "a": torch.ones(2, 2).nextafter(torch.zeros(()))},
        {**state, "e": None},
    ]
    assert len({digest(each) for each in (state, *others)}) == 6


@pytest.mark.slow
def test_a_program_that_goes_on_has_the_same_result(steps):
    found = [steps().kill(np.random.default_rng(seed), "killed") for seed in range(3)]
    assert sum(each.times for each in found) and not any(each.differs for each in found)


@pytest.mark.slow
def test_a_program_that_does_not_is_found_out(steps, tmp_path):
    program = tmp_path / "forgets.py"
    program.write_text(
        "import os, sys, time, pathlib\n"
        "out = pathlib.Path(sys.argv[1])\n"
        "begun = out.exists()\n"
        "out.write_text('x')\n"
        "time.sleep(0.3)\n"
        "out.write_text('another' if begun else 'x')\n"
    )
    broken = steps(program, "forgets")
    broken.expected()
    found = [broken.kill(np.random.default_rng(seed), "killed") for seed in range(4)]
    assert any(each.differs == ["numbers"] for each in found if each.times)


def test_a_program_that_hangs_is_ended_and_told(steps, trials, tmp_path):
    program = tmp_path / "hangs.py"
    program.write_text("import time\ntime.sleep(100)\n")
    process = steps(program, "hangs").start([sys.executable, str(program)])
    assert trials.ended(process, 0.3) == "no end in 0 s" and process.returncode == -signal.SIGKILL


def test_what_a_process_has_started_is_known(steps, trials, tmp_path):
    program = tmp_path / "starts.py"
    program.write_text(
        "import subprocess, sys\nsubprocess.run([sys.executable, '-S', '-c', 'import time; time.sleep(60)'])\n"
    )
    process = steps(program, "starts").start([sys.executable, str(program)])
    while not trials.descendants(process.pid):
        assert process.poll() is None
    (child,) = trials.descendants(process.pid)
    trials.send(child, signal.SIGKILL)
    assert trials.ended(process, 20) == 0


@pytest.mark.slow
def test_prepare_and_align_are_killed_and_given_again(script, warm, tiny_runs, tmp_path):
    for name in ("prepare", "align"):
        broken = script("faults_trials").Broken(script("faults_runs").all_runs(tiny_runs)[name], tmp_path, warm)
        found = [broken.kill(np.random.default_rng(seed), "killed") for seed in range(2)]
        assert [each.differs for each in found] == [[], []]


@pytest.fixture
def tiny_runs(script, sample, databin, transfer_encoder, tmp_path):
    """The folder that the runs read, of the tests' own text and model."""
    work = tmp_path / "work"
    (work / "in/text").mkdir(parents=True)
    for name in ("en-de", "mono"):
        shutil.copytree(sample / name, work / "in/text" / name)
    shutil.copytree(databin, work / "in/data-bin")
    shutil.copy(transfer_encoder, work / "model.pt")
    return work


def test_the_table_has_a_row_for_each_run_and_fault(script, monkeypatch, tmp_path, capsys):
    faults, Trial = script("faults"), script("faults_trials").Trial
    found = [
        Trial("align", "killed", 2, []),
        Trial("align", "killed", 1, ["links"]),
        Trial("prepare", "disk full", 1, [], "no space"),
    ]
    monkeypatch.setattr(faults, "trials", lambda args, work: found)
    monkeypatch.setattr(
        "sys.argv", ["faults.py", "--kills", "3", "--out", str(tmp_path), "--work", str(tmp_path / "work")]
    )
    assert faults.main() == 1
    table = (tmp_path / "faults.md").read_text()
    assert "| align | killed | 3 |  | links |" in table and "| prepare | disk full | 1 | no space |" in table
    assert (
        json.loads((tmp_path / "faults.json").read_text())["runs"] == 3 and "3 runs, seed 1" in capsys.readouterr().out
    )
    monkeypatch.setattr(faults, "trials", lambda args, work: found[::2])
    assert faults.main() == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x\nerror: it is full\n  where: here\n", "it is full; exit code 3"),
        ("Traceback\n  File x\nOSError: no space\n", "OSError: no space; exit code 3"),
        ("fairseq.x.SomeError: bad\n", "SomeError: bad; exit code 3"),
        ("all is well\n", "exit code 3"),
    ],
)
def test_what_a_run_says_as_it_ends(script, tmp_path, text, said):
    (tmp_path / "log").write_text(text)
    assert script("faults_cases").heard(tmp_path / "log", 3) == said


def test_kills_at_chosen_points_leave_what_they_say(script, warm, tmp_path):
    """Of a program that saves a checkpoint and copies it as fairseq and the package do."""
    aimed = script("faults_aimed")
    program = tmp_path / "saves.py"
    program.write_text(
        "import os, shutil, sys, torch, pathlib\n"
        f"sys.path.insert(0, {str(aimed.__file__.rpartition('/')[0])!r})\n"
        "import faults_aimed\n"
        "faults_aimed._left = 2\n"
        "faults_aimed.KILLS[sys.argv[1]]()\n"
        "os.chdir(sys.argv[2])\n"
        "for number in range(1, 4):\n"
        "    name = f'checkpoint_1_{number}.pt'\n"
        "    with open(name + '.tmp', 'wb') as f:\n"
        "        torch.save(torch.full((1000,), number), f)\n"
        "    os.rename(name + '.tmp', name)\n"
        "    with open(name, 'rb') as f, open('.checkpoint_last.pt.1-a.tmp', 'wb') as g:\n"
        "        shutil.copyfileobj(f, g)\n"
        "    os.replace('.checkpoint_last.pt.1-a.tmp', 'checkpoint_last.pt')\n"
    )
    last, half = "checkpoint_last.pt", ".checkpoint_last.pt.1-a.tmp"
    first, second = "checkpoint_1_1.pt", "checkpoint_1_2.pt"
    left = {
        "half saved": {first, last, second + ".tmp"},
        "half copied": {first, last, second, half},
        "half copied in place": {first, last, second, half},
    }
    assert set(left) == set(aimed.KILLS)
    for point, names in left.items():
        out = tmp_path / point
        out.mkdir()
        process = warm.start([sys.executable, str(program), point, str(out)], tmp_path / "log")
        assert process.wait(60) == -signal.SIGKILL, (tmp_path / "log").read_text()
        assert {path.name for path in out.iterdir()} == names, point
        whole = (out / first).stat().st_size
        halves = {path.name for path in out.iterdir() if path.stat().st_size < 0.6 * whole}
        assert (
            halves
            == {"half saved": {second + ".tmp"}, "half copied": {half}, "half copied in place": {half, last}}[point]
        )


def test_losses_become_no_numbers_from_an_update_on(script, monkeypatch):
    aimed = script("faults_aimed")
    from fairseq.criterions import FairseqCriterion

    monkeypatch.setattr(FairseqCriterion, "__init__", lambda self, task: None)
    monkeypatch.setattr(aimed, "_left", 2)
    aimed.nan_losses()

    class Sum:
        def __init__(self):
            self.active = [SimpleNamespace(forward=lambda step: SimpleNamespace(total=1.0))]
            FairseqCriterion.__init__(self, None)

        def forward(self, model, sample):
            return self.active[0].forward(None).total

    made = Sum()
    found = [made.forward(SimpleNamespace(training=training), None) for training in (True, False, True, True, False)]
    assert [value == value for value in found] == [True, True, False, False, True]
