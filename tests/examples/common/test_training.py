import json

import pytest

from tests.examples.recipes import load

[training] = load("common", "training")
EPOCH = 'train | {{"epoch": {}, "train_loss": "9", "train_wpb": "{}", "train_num_updates": "{}"}}\n'
GPUS = "rank   0: capabilities = 9.0 ; name = Fast GPU   \nrank   1: capabilities = 9.0 ; name = Fast GPU   \n"


@pytest.mark.parametrize(("gpus", "machine"), [("", "a CPU"), (GPUS, "2 x Fast GPU")])
def test_updates_tokens_minutes_and_machine_of_a_run_that_was_resumed(tmp_path, gpus, machine):
    (tmp_path / "run.json").write_text(json.dumps({"machine": "a CPU", "seed": 1}))
    (tmp_path / "train.log").write_text(
        gpus + 'train_inner | {"epoch": 1, "loss": "9", "wpb": "4000.5", "num_updates": "20"}\n'
        + EPOCH.format(1, 3000.5, 30)
        + 'valid | {"epoch": 1, "valid_loss": "9", "valid_wpb": "9", "valid_num_updates": "30"}\n'
        + gpus + 2 * EPOCH.format(2, 2000, 35)  # logged again after the resumption
        + "done training in 90.0 seconds\ndone training in 30.0 seconds\n"
    )  # fmt: skip
    record = training.training_record(tmp_path)
    # all updates, though the last logged interval ends with update 20
    tokens = round(30 * 3000.5 + 5 * 2000)
    assert record == {"machine": machine, "seed": 1, "updates": 35, "tokens": tokens, "minutes": 2.0}
