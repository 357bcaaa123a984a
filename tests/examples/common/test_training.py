import json

import pytest

from tests.examples.recipes import load

[training] = load("common", "training")
EPOCH = "epoch {} | loss 9 | wps 1 | wpb {} | bsz 9 | num_updates {} | lr 0.1 | gnorm 1\n"
GPUS = "rank   0: capabilities = 9.0 ; name = Fast GPU   \nrank   1: capabilities = 9.0 ; name = Fast GPU   \n"


@pytest.mark.parametrize(("gpus", "machine"), [("", "a CPU"), (GPUS, "2 x Fast GPU")])
def test_updates_tokens_minutes_and_machine_of_a_run_that_was_resumed(tmp_path, gpus, machine):
    (tmp_path / "run.json").write_text(json.dumps({"machine": "a CPU", "seed": 1}))
    (tmp_path / "train.log").write_text(
        gpus + "epoch 001: loss=9, wps=1, wpb=4000.5, bsz=9, num_updates=20, lr=0.1\n"
        + EPOCH.format("001", 3000.5, 30)
        + "epoch 001 | valid on 'valid' subset | loss 9 | wpb 9 | num_updates 30 | best_loss 9\n"
        + gpus + 2 * EPOCH.format("002", 2000, 35)  # logged again after the resumption
        + "done training in 90.0 seconds\ndone training in 30.0 seconds\n"
    )  # fmt: skip
    record = training.training_record(tmp_path)
    # all updates, though the last logged interval ends with update 20
    tokens = round(30 * 3000.5 + 5 * 2000)
    assert record == {"machine": machine, "seed": 1, "updates": 35, "tokens": tokens, "minutes": 2.0}
