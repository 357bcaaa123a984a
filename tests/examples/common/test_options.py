import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples.recipes import load
from tests.examples.stand_ins import EXAMPLES, USER_DIR

[options] = load("common", "options")
# The command line has a default for it, YAML does not; it scores translations.
ASIDE = "scoring"
# The papers' values.
PAPERS = {
    "xlm_align/base": {
        "criterion._name": "xlm_align", "optimization.update_freq": [8], "dataset.batch_size": 32,
        "optimizer.adam_betas": "(0.9, 0.98)", "lr_scheduler.warmup_updates": 10000, "criterion.dwa_label_layer": 10,
        "model.encoder_layers": 12,
    },
    "explicit_alignments/weak": {
        "optimization.lr": [1e-4], "dataset.batch_size": 128, "optimization.max_update": 100000,
        "lr_scheduler.warmup_updates": 4000, "task.max_sentence_length": 96, "optimizer.weight_decay": 0.0,
        "criterion.objectives": "word_contrastive,reg_param", "criterion.word_contrastive_temperature": 0.1,
        "criterion.word_contrastive_projection_dim": 128, "criterion.word_contrastive_pooling": "first",
        "criterion.reg_param_weight": 1.0, "criterion.reg_param_form": "squared",
        "criterion.word_contrastive_gather": True, "task.length_bucket_width": 0,
    },
    "explicit_alignments/linear_mapping": {
        "optimization.lr": [1e-4], "optimization.max_update": 20000, "lr_scheduler.warmup_updates": 0,
        "criterion.linear_mapping_beta": 0.01, "common.memory_efficient_fp16": True,
    },
    "ppa/ppa": {
        "optimization.lr": [3e-5], "dataset.batch_size": 128, "optimizer.weight_decay": 0.01,
        "optimization.max_update": math.ceil(7 * 250000 * 10 / 128), "lr_scheduler.warmup_updates": 13671,
        "task.min_sentence_length": 10, "task.max_pair_length": 128, "task.mask_prob": 0.15,
        "criterion.moco_queue_size": 32000, "criterion.moco_momentum": 0.999, "criterion.moco_temperature": 0.05,
        "criterion.moco_projection_dim": 300,
    },
    "weam/weam": {
        "optimization.lr": [5e-5], "dataset.batch_size": 32, "task.max_pair_length": 128, "task.mask_prob": 0.3,
        "criterion.objectives": "tlm,word_exchange", "criterion.word_exchange_weight": 1.0,
    },
    "align_mlm/align_mlm": {
        "model.encoder_layers": 8, "model.encoder_embed_dim": 512, "model.encoder_attention_heads": 8,
        "optimization.max_update": 500000, "dataset.max_tokens": 128 * 512, "optimization.lr": [1e-4],
        "lr_scheduler.warmup_updates": 10000, "criterion.lexicon_align_weight": 10.0, "model.language_embeddings": "",
        "criterion.objectives": "mlm,lexicon_align",
    },
    "align_mlm/xlm": {
        "model.language_embeddings": "en,xx", "criterion.objectives": "mlm,tlm", "criterion.tlm_reset_positions": True,
        "dataset.max_tokens": 128 * 512 // 5, "task.mono_max_tokens": 103 * 512,
    },
}  # fmt: skip
# The device, which the scripts set.
DEVICES = {"explicit_alignments/linear_mapping": "--memory-efficient-fp16", "align_mlm/align_mlm": "--bf16"}
DEVICES["align_mlm/xlm"] = "--bf16"
# Options that a file leaves to the size of the data.
SIZES = ("task.lang_pairs=de-en", "optimization.max_update=1250", "lr_scheduler.warmup_updates=125")


def job(recipe, folder):
    """The input of read_options.py for a file."""
    path, save, sizes = EXAMPLES / f"{recipe}.yaml", folder / "save", SIZES if recipe == "weam/weam" else ()
    done = subprocess.run([sys.executable, options.__file__, path, *sizes], capture_output=True, text=True, check=True)
    words = done.stdout.split("\n")[:-1]
    places = {"--user-dir": USER_DIR, "--save-dir": save, "--log-file": f"{save}/train.log"}
    places |= {"--tensorboard-logdir": f"{save}/tensorboard", "--total-num-update": words[-1]}
    overrides = [*sizes, f"common.user_dir={USER_DIR}", f"task.data={folder}", f"checkpoint.save_dir={save}"]
    overrides += [f"common.log_file={save}/train.log", f"common.tensorboard_logdir={save}/tensorboard"]
    if "init_checkpoint" in path.read_text():
        places["--init-checkpoint"] = folder / "model.pt"
        overrides.append(f"model.init_checkpoint={folder}/model.pt")
    arguments = [folder, *words, DEVICES.get(recipe, "--fp16"), *(each for pair in places.items() for each in pair)]
    return {
        "arguments": list(map(str, arguments)),
        "folder": str(path.parent),
        "name": path.stem,
        "overrides": overrides,
    }


@pytest.fixture(scope="module")
def configurations(tmp_path_factory):
    """``{"section.option": value}`` of each file with either command, including every option of fairseq."""
    folder = tmp_path_factory.mktemp("options")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parents[1] / "read_options.py")],
        input=json.dumps([job(recipe, folder) for recipe in PAPERS]),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.strip().split("\n")[-1])
    return {recipe: [flat(each) for each in both] for recipe, *both in zip(PAPERS, *found, strict=True)}


def flat(configuration):
    return {
        f"{section}.{option}": value
        for section, values in configuration.items()
        if section != ASIDE and isinstance(values, dict)
        for option, value in values.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("recipe", PAPERS)
def test_both_commands_have_the_options_of_a_file_and_the_papers_are_among_them(recipe, configurations):
    script, yaml = configurations[recipe]
    assert {name: (script.get(name), yaml.get(name)) for name in script.keys() | yaml.keys()
            if script.get(name, "absent") != yaml.get(name, "absent")} == {}  # fmt: skip
    assert yaml["task._name"] == "xalign_pretraining"
    assert {option: yaml[option] for option in PAPERS[recipe]} == PAPERS[recipe]
