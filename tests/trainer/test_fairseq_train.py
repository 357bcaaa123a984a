import os
from pathlib import Path

from support.warm_start import WARM

from xalign_fairseq.trainer.fairseq_train import FAIRSEQ_TRAIN, USER_DIR, adam_options, encoder_options, flags


def test_flags_are_what_a_command_line_has():
    options = {"--cpu": True, "--fp16": False, "--patience": None, "--lr": 0.5, "--out": Path("a b"), "--zero": 0}
    assert flags(options) == ["--cpu", "--lr", "0.5", "--out", "a b", "--zero", "0"]
    assert flags({"--objectives": ("dwa", "tlm"), "--files": ["a=b"]}) == ["--objectives", "dwa,tlm", "--files", "a=b"]


def test_an_encoder_is_built_as_its_checkpoint_is():
    options = encoder_options({"encoder_layers": 2, "layer_norm_eps": 1e-12}, "model.pt")
    assert options == {
        "--user-dir": USER_DIR,
        "--arch": "xalign_base",
        "--encoder-layers": 2,
        "--layer-norm-eps": 1e-12,
        "--init-checkpoint": "model.pt",
    }


def test_numbers_of_adam_are_as_they_are_written_by_hand():
    options = adam_options(2e-5, 100, 8, (0.9, 0.999), 1e-8, 1.0)
    assert [options[f"--{name}"] for name in ("lr", "adam-betas", "adam-eps", "clip-norm")] == [
        "2e-05",
        "(0.9, 0.999)",
        "1e-08",
        "1",
    ]
    assert options["--max-update"] == options["--total-num-update"] == 100


def test_the_command_is_fairseq_train_with_this_package_and_ends_with_an_error_in_the_input_alone(tmp_path):
    line = [*FAIRSEQ_TRAIN, "nowhere", "--user-dir", USER_DIR, "--cpu", "--task", "xalign_pretraining"]
    line += ["--criterion", "mlm", "--arch", "xalign_tiny", "--max-tokens", "64", "--lr=-1"]
    done = WARM.run("fairseq", line, tmp_path, dict(os.environ))  # its --save-dir is in there
    assert done.returncode == 1 and "where: --lr" in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].strip() == "(--debug shows where in the program)"
