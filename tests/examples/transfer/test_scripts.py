"""The calls of xalign in the study's scripts."""

from tests.examples.stand_ins import EXAMPLES, run_script

TELL = '#!/bin/sh\necho "$@"\n'


def test_models_come_from_the_first_seeds_and_existing_ones_are_kept(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models/so.pt").touch()
    done = run_script(
        tmp_path, "transfer/1_models.sh", tmp_path / "runs", tmp_path / "models", instead={"xalign": TELL}
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    model, out = tmp_path / "runs/so-grow-1/checkpoint_last.pt", tmp_path / "models/so-grow.pt"
    assert lines[0] == f"untrim --model {model} --original e5-small --out {out}" and not any(
        "/so.pt" in line for line in lines
    )
    compared = {run.name for run in (EXAMPLES / "transfer/results/runs").iterdir()}
    assert {line.split("/")[-1].removesuffix(".pt") for line in lines} | {"so", "none"} == compared
