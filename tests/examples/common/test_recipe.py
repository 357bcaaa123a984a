"""The recipes' scripts: finished runs stay, run.json says how a run was made, what is missing is told at once."""

import json
import shlex

import pytest

from tests.examples.stand_ins import EXAMPLES, run_script

# Script and its arguments after the folders; the folder of the run below the one that is given.
TRAINING = {
    "explicit_alignments/2_train.sh": ("weak",),
    "ppa/2_train.sh": ("ppa",),
    "weam/2_train.sh": ("weam", "de-en"),
    "xlm_align/3_train.sh": ("links",),
    "transfer/2_encoders.sh": ("base",),
    "continuation/1_train.sh": ("tlm", "1"),
    "align_mlm/2_train.sh": ("align_mlm", "trans_inv", "1"),
}
EPOCH = "2026 | INFO | train | epoch 001 | loss 8.7 | bsz 92.8 | num_updates 40 | lr 0 | gnorm 1.4\n"
VALIDATION = "2026 | INFO | valid | epoch 001 | valid on 'valid' subset | loss 8 | num_updates 40 | best_loss 8\n"


def train(folder, script, *options, **variables):
    """Run a training script for 40 updates with its first setting; gives the process and the run's folder."""
    checkpoint = folder / "model.pt"
    checkpoint.touch()
    setting, *others = TRAINING[script]
    name, places = setting, ["/data-bin", folder / "runs" / setting]
    if script.startswith("transfer"):
        places = ["/data-bin", folder / "runs"]
    elif script.startswith("continuation"):
        name, places = "tlm-1", ["/data-bin", checkpoint, folder / "runs"]
    elif script.startswith("align_mlm"):
        name, places = "align_mlm.trans_inv-1", [folder, folder / "runs"]
        (folder / "data/trans_inv").mkdir(parents=True, exist_ok=True)
    variables = {"UPDATES": "40", "INIT": str(checkpoint), **variables}
    done = run_script(folder, script, *places, setting, *others, *options, **variables)
    return done, folder / "runs" / name


@pytest.mark.parametrize("script", TRAINING)
def test_a_finished_run_is_not_continued(script, tmp_path):
    done, save = train(tmp_path, script)
    assert done.returncode == 0 and "--max-update" in json.loads(done.stdout), done.stderr
    for log, called in (
        (VALIDATION, True),  # logged before the checkpoint is written
        (VALIDATION + EPOCH.replace("40", "400"), True),
        (VALIDATION + EPOCH, False),
    ):
        (save / "train.log").write_text(log)
        done, _ = train(tmp_path, script)
        assert done.returncode == 0 and ("--max-update" in done.stdout) is called
    assert done.stdout == f"{save} has its 40 updates already\n"


@pytest.mark.parametrize("script", [script for script in TRAINING if not script.startswith("transfer")])
def test_run_json_holds_options_as_they_were_given(script, tmp_path):
    options = ["--adam-betas", "(0.9, 0.98)", "--user", 'a "b" \\']
    done, save = train(tmp_path, script, *options)
    assert done.returncode == 0, done.stderr
    record = json.loads((save / "run.json").read_text())
    words = shlex.split(record["command"])
    assert words[-4:] == options and "UPDATES=40" in words[: words.index("bash")]
    assert "/" not in record["command"] and record["setting"] == save.name.removesuffix("-1") and record["seed"] == 1
    # a run that is resumed, perhaps elsewhere, keeps what was written at its start
    train(tmp_path, script, "--other")
    assert json.loads((save / "run.json").read_text()) == record


def test_run_json_has_the_variables_that_were_set_and_the_machine(tmp_path):
    script = "continuation/1_train.sh"
    variables = {"LR": "1e-4", "MAX_TOKENS": "512", "QUEUE": "64", "ARCH": "xalign_base", "DEVICE": "--bf16 --ddp x"}
    _, save = train(tmp_path, script, **variables)
    record = json.loads((save / "run.json").read_text())
    assert record["command"] == (
        "PAIR=de-en UPDATES=40 MAX_TOKENS=512 LR=1e-4 QUEUE=64 ARCH=xalign_base DEVICE='--bf16 --ddp x' "
        "bash 1_train.sh DATA_BIN ENCODER RUNS tlm 1"
    )
    assert record["machine"] == "Fast GPU" and record["commit"]
    (tmp_path / "cpu").mkdir()
    _, save = train(tmp_path / "cpu", script)
    assert json.loads((save / "run.json").read_text())["machine"].endswith(" CPU")


def test_settings_of_the_study_are_all_trained(tmp_path):
    """What 1_train.sh passes for WEAM's baseline and for the alignment of Cao et al."""
    checkpoint = tmp_path / "model.pt"
    checkpoint.touch()
    wanted = {
        "tlm30": ["--criterion", "tlm", "--mask-prob", "0.3"],
        "l2_hidden": ["--criterion", "explicit_alignments", "--objectives", "l2_align,reg_hidden"],
    }
    for setting, options in wanted.items():
        done = run_script(tmp_path, "continuation/1_train.sh", "/data-bin", checkpoint, tmp_path / "runs", setting, "1")
        arguments = json.loads(done.stdout)
        start = arguments.index("--criterion")
        assert arguments[start : start + len(options)] == options


@pytest.mark.parametrize("recipe", ["explicit_alignments", "ppa", "weam"])
@pytest.mark.parametrize("init", ["", "nowhere/model.pt"])
def test_the_checkpoint_to_start_from_must_exist(recipe, init, tmp_path):
    done, save = train(tmp_path, f"{recipe}/2_train.sh", INIT=init)
    assert done.returncode == 2 and "INIT" in done.stderr and f"'{init}'" in done.stderr and not save.exists()


@pytest.mark.parametrize("script", sorted(path.relative_to(EXAMPLES) for path in EXAMPLES.glob("*/[12]_*.sh")
                                          if "choose_vocabulary" in path.read_text()), ids=str)  # fmt: skip
def test_a_model_without_its_dictionary_is_told_before_links_are_made(script, tmp_path):
    (tmp_path / "spm.model").touch()
    done = run_script(tmp_path, script, tmp_path / "text", tmp_path / "bin", "de-en", SPM=str(tmp_path / "spm.model"))
    assert done.returncode == 2 and "DICT" in done.stderr and not done.stdout


def test_a_tokeniser_that_fails_in_the_background_stops_the_script(tmp_path):
    python = """#!/bin/sh
    case "$*" in
      *assemble.py*) mkdir -p "$3" && touch "$3/train.de" "$3/train.en" ;;
      *--tokenized*) cat ;;
      *tokenize_bitext.py\\ de*) exit 1 ;;
    esac
    """.replace("\n    ", "\n")
    gold = tmp_path / "data/gold/simalign-testsets"
    gold.mkdir(parents=True)
    for path in (tmp_path / "data/assemble.py", *(gold / f"de-en.{ending}" for ending in ("de", "en", "gold"))):
        path.touch()
    done = run_script(tmp_path, "xlm_align/1_data.sh", tmp_path / "text", "de-en",
                      instead={"python": python}, BENCHMARK=str(tmp_path / "data"))  # fmt: skip
    assert done.returncode == 1 and not done.stdout  # xalign links, the next program, was not started
    assert not (tmp_path / "text/de-en").exists()
