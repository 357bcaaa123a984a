"""What the study's scripts train, and that they measure what has not been measured yet."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples.small.made_up import add
from tests.examples.stand_ins import alone, run_script


@pytest.mark.parametrize(("pair", "measured"), [("de-en", True), ("en-fr", False)])
def test_results_of_another_pair_are_measured_again(tmp_path, pair, measured):
    """The script next to results of de-en, with a stand-in for evaluate.py."""
    folder, runs = tmp_path / "small", tmp_path / "runs"
    script = alone(folder, "small/2_evaluate.sh")
    script.with_name("evaluate.py").write_text("import sys; print(sys.argv[2:3] + sys.argv[5:])\n")
    (tmp_path / "benchmark/gold").mkdir(parents=True)
    (runs / "weak-1").mkdir(parents=True)
    for checkpoint in (tmp_path / "base.pt", runs / "weak-1/checkpoint_last.pt"):
        checkpoint.touch()
    add(folder / "results", "none", 20, 30, 40)
    add(folder / "results", "weak-1", 20, 30, 40)
    done = subprocess.run(
        ["bash", script, tmp_path / "base.pt", runs, "TEXT", "--device", "cpu"],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PAIR": pair,
            "BENCHMARK": str(tmp_path / "benchmark"),
        },
    )
    assert done.returncode == 0, done.stderr
    options = f"'--pair', '{pair}', '--device', 'cpu'"
    assert done.stdout.splitlines() == [
        f"{name}: measured already" if measured else f"['{name}', {options}]" for name in ("none", "weak-1")
    ]


def test_settings_of_the_study_are_all_trained(tmp_path):
    """What 1_train.sh passes for WEAM's baseline and for the alignment of Cao et al."""
    checkpoint = tmp_path / "model.pt"
    checkpoint.touch()
    wanted = {
        "tlm30": {"--criterion": "tlm", "--mask-prob": "0.3"},
        "l2_hidden": {"--criterion": "explicit_alignments", "--objectives": "l2_align,reg_hidden"},
    }
    for setting, options in wanted.items():
        done = run_script(tmp_path, "small/1_train.sh", "/data-bin", checkpoint, tmp_path / "runs", setting, "1")
        arguments = json.loads(done.stdout)
        passed = dict(itertools.pairwise(arguments))
        assert {name: passed[name] for name in options} == options
