from pathlib import Path

import pytest
from support.warm_start import run_warm

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.fairseq_train import (
    FAIRSEQ_TRAIN,
    USER_DIR,
    adam_options,
    encoder_options,
    flags,
    train_line,
    value,
)


def test_flags_are_those_of_a_command_line():
    options = {"--cpu": True, "--fp16": False, "--patience": None, "--lr": 0.5, "--out": Path("a b"), "--zero": 0}
    assert flags(options) == ["--cpu", "--lr", "0.5", "--out", "a b", "--zero", "0"]
    assert flags({"--objectives": ("dwa", "tlm"), "--files": ["a=b"]}) == ["--objectives", "dwa,tlm", "--files", "a=b"]


def test_an_encoder_is_built_like_its_checkpoint():
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
    written = ["2e-05", "(0.9, 0.999)", "1e-08", "1"]
    assert [options[f"--{name}"] for name in ("lr", "adam-betas", "adam-eps", "clip-norm")] == written
    assert options["--max-update"] == options["--total-num-update"] == 100


def test_the_command_is_fairseq_train_and_shows_only_the_input_error(tmp_path):
    line = [*FAIRSEQ_TRAIN, "nowhere", "--user-dir", USER_DIR, "--cpu", "--task", "xalign_pretraining"]
    line += ["--criterion", "mlm", "--arch", "xalign_tiny", "--max-tokens", "64", "--lr=-1"]
    done = run_warm(line, tmp_path)  # it contains its --save-dir
    assert done.returncode == 1 and "where: --lr" in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].strip() == "(--debug shows the traceback)"


GIVEN = ["--lr", "1e-4", "--max-update", "100", "--batch-size", "8"]


def test_missing_options_come_before_given_ones():
    line, added = train_line("data-bin", GIVEN)
    assert line == ["data-bin", *added, *GIVEN]
    assert value(added, "user_dir") == str(USER_DIR) and value(added, "task") == "xalign_pretraining"
    assert value(added, "criterion") == "xlm_align" and value(added, "arch") == "xalign_base"
    assert value(added, "optimizer") == "xalign_adamw" and value(added, "save_dir") == "checkpoints"
    assert value(added, "total_num_update") == "100" and value(added, "lr_scheduler") == "polynomial_decay"


@pytest.mark.parametrize(
    "option", ["--user-dir", "--task", "--criterion", "--arch", "--optimizer", "--lr-scheduler", "--save-dir"]
)
@pytest.mark.parametrize("form", ["{} mine", "{}=mine"])
def test_given_options_are_not_added(option, form):
    line, added = train_line("data-bin", [*GIVEN, *form.format(option).split()])
    assert option not in added and value(line, option.lstrip("-").replace("-", "_")) == "mine"
    assert ("--total-num-update" in added) == (option != "--lr-scheduler")


def test_without_text_to_validate_on_nothing_is_validated(tmp_path):
    (tmp_path / "train.en.idx").touch()
    assert "--disable-validation" in train_line(str(tmp_path), GIVEN)[1]
    for own in (["--valid-subset", "test"], ["--valid-subset=test"], ["--disable-validation"]):
        line, added = train_line(str(tmp_path), [*GIVEN, *own])
        assert "--disable-validation" not in added and line[-len(own) :] == own
    (tmp_path / "valid.en-de.en.idx").touch()
    assert "--disable-validation" not in train_line(f"{tmp_path}:{tmp_path / 'other'}", GIVEN)[1]
    (tmp_path / "only-source").mkdir()
    (tmp_path / "only-source/valid.idx").touch()
    assert "--disable-validation" not in train_line(str(tmp_path / "only-source"), GIVEN)[1]
    # fairseq validates only on the first folder
    assert "--disable-validation" in train_line(f"{tmp_path / 'other'}:{tmp_path}", GIVEN)[1]


@pytest.mark.parametrize(("most", "interval"), [("100", "10"), ("20", "5"), ("3", "1"), ("0", "10")])
def test_the_rate_decays_until_the_last_update_and_short_trainings_log_more_often(most, interval):
    _, added = train_line("data-bin", ["--lr", "1e-4", "--batch-size", "8", "--max-epoch", "1", "--max-update", most])
    assert (value(added, "total_num_update") or "0", value(added, "log_interval")) == (most, interval)


def test_a_task_of_transfer_and_a_foreign_one():
    _, added = train_line("data-bin", [*GIVEN, "--task", "xalign_tagging"])
    assert value(added, "criterion") == "transfer" and value(added, "arch") == "xalign_base"
    _, added = train_line("data-bin", [*GIVEN, "--task", "translation"])
    assert "--criterion" not in added and "--arch" not in added


def test_the_sizes_are_those_of_the_checkpoint_that_training_begins_with():
    asked = []

    def sizes(checkpoint):
        asked.append(checkpoint)
        return {"encoder_layers": 6}

    _, added = train_line("data-bin", [*GIVEN, "--init-checkpoint", "model.pt"], sizes)
    assert value(added, "encoder_layers") == "6" and asked == ["model.pt"]
    _, added = train_line("data-bin", [*GIVEN, "--init-checkpoint", "model.pt", "--arch", "xalign_tiny"], sizes)
    assert "--encoder-layers" not in added and asked == ["model.pt"]


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (["--max-update", "3"], "no learning rate"),
        (["--lr", "1"], "the training has no end"),
        (["--lr", "1", "--max-update", "0"], "the training has no end"),
        (["--lr", "1", "--max-update", "3"], "no batch size"),
        ([*GIVEN, "--log-format", "simple"], "not written as JSON"),
    ],
)
def test_missing_and_wrong_options(given, what):
    with pytest.raises(XalignError, match=what):
        train_line("data-bin", given)
