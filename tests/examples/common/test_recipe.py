"""The recipes' scripts: finished runs stay, run.json says how a run was made, what is missing is told at once."""

import json
import shlex
import subprocess

import pytest

from tests.examples.stand_ins import EXAMPLES, run_script

# Script and its arguments after the folders; the folder of the run below the one that is given.
TRAINING = {
    "explicit_alignments/2_train.sh": ("weak",),
    "ppa/2_train.sh": ("ppa",),
    "weam/2_train.sh": ("weam", "de-en"),
    "xlm_align/3_train.sh": ("base",),
    "xlm_align/small/3_train.sh": ("links",),
    "transfer/small/2_encoders.sh": ("base",),
    "small/1_train.sh": ("tlm", "1"),
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
    elif script.startswith("small"):
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


@pytest.mark.parametrize("recipe", ["explicit_alignments", "ppa", "weam"])
@pytest.mark.parametrize("init", ["", "nowhere/model.pt"])
def test_the_checkpoint_to_start_from_must_exist(recipe, init, tmp_path):
    done, save = train(tmp_path, f"{recipe}/2_train.sh", INIT=init)
    assert done.returncode == 2 and "INIT" in done.stderr and f"'{init}'" in done.stderr and not save.exists()


PREPARING = sorted(str(path.relative_to(EXAMPLES)) for path in EXAMPLES.glob("*/[12]_*.sh")
                   if "choose_vocabulary" in path.read_text())  # fmt: skip


@pytest.mark.parametrize("script", PREPARING)
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"SPM": "spm.model"}, "DICT"),
        ({"TOKENIZER": "nowhere"}, "TOKENIZER, a checkpoint or a Hugging Face folder: there is no file"),
        ({"TOKENIZER": "bert", "SPM": "spm.model"}, "give one"),
        ({"TOKENIZER": "bert", "DICT": "dict.txt"}, "give one"),
    ],
)
def test_a_vocabulary_that_is_not_whole_is_told_before_links_are_made(script, given, told, tmp_path):
    for name in ("spm.model", "bert"):
        (tmp_path / name).touch()
    variables = {name: str(tmp_path / value) for name, value in given.items()}
    done = run_script(tmp_path, script, tmp_path / "text", tmp_path / "bin", "de-en", **variables)
    assert done.returncode == 2 and told in done.stderr and not done.stdout


def test_the_vocabulary_is_that_of_a_tokenizer_or_of_files_or_new(tmp_path):
    for name in ("bert", "spm.model", "dict.txt"):
        (tmp_path / name).touch()
    script = f'source {EXAMPLES}/common/recipe.sh; choose_vocabulary 9; echo "${{vocabulary[@]}}"'
    for given, expected in (
        ({}, "--vocab-size 9"),
        ({"VOCAB": "7"}, "--vocab-size 7"),
        ({"TOKENIZER": "bert", "VOCAB": "7"}, "--tokenizer bert"),
        ({"SPM": "spm.model", "DICT": "dict.txt"}, "--spm spm.model --dict dict.txt"),
    ):
        command = ["env", "-i", *(f"{name}={value}" for name, value in given.items()), "bash", "-c", script]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout == expected + "\n", done.stderr
