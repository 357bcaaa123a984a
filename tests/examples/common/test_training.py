import json

import pytest

from tests.examples.recipes import load

[training] = load("common", "training")
EPOCH = "epoch 001 | loss 9 | wps 1 | wpb 3000.5 | bsz 9 | num_updates 30 | lr 0.1 | gnorm 1\n"
GPUS = "rank   0: capabilities = 9.0 ; name = Fast GPU   \nrank   1: capabilities = 9.0 ; name = Fast GPU   \n"


@pytest.fixture
def run(tmp_path):
    """A run's folder as recipe.sh and fairseq-train leave it."""
    (tmp_path / "run.json").write_text(json.dumps({"setting": "tlm", "machine": "x CPU", "seed": 1}))
    (tmp_path / "train.log").write_text(EPOCH + "done training in 90.0 seconds\n")
    return tmp_path


def test_what_was_run_and_what_it_cost(run):
    assert training.training_record(run) == {
        "setting": "tlm",
        "machine": "x CPU",
        "seed": 1,
        "updates": 30,
        "tokens": 90_015,
        "minutes": 1.5,
    }


def test_all_gpus_are_the_machine(run):
    (run / "train.log").write_text(GPUS + EPOCH)
    assert training.training_record(run)["machine"] == "2 x Fast GPU"
