"""The recipes' training scripts train what their YAML files say: both go through fairseq's own parsers."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.examples.stand_ins import EXAMPLES, USER_DIR, run_script

# The command line gives it a default, YAML does not; it scores translations.
ASIDE = "scoring"


class Twin(NamedTuple):
    """A script with its setting, and the YAML file with the overrides that the recipe's page names.

    ``data`` and ``run`` are where data-bin and run lie in the folders that the script is given.
    """

    script: str
    setting: str
    yaml: str
    overrides: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    starts_from_checkpoint: bool = True
    data: str = ""
    run: str = ""


# What the papers say, whatever script and YAML agree on.
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
WEAM = dict(arguments=("de-en",), variables=(("UPDATES", "1250"),))
WEAM_SIZES = ("task.lang_pairs=de-en", "optimization.max_update=1250", "lr_scheduler.warmup_updates=125")
PPA = dict(variables=(("UPDATES", "136719"),))  # of 7 x 250,000 pairs
EXPLICIT = "explicit_alignments/2_train.sh"
PAPER_SIZES = dict(
    LAYERS="8", DIM="512", HEADS="8", UPDATES="500000", WARMUP="10000", LR="1e-4", BLOCK="512", MAX_TOKENS="65536",
    DROPOUT="0.1", DEVICE="--bf16",
)  # fmt: skip


def align_mlm(objective, yaml, *overrides):
    """A twin of the ALIGN-MLM recipe: its script is given the folders of all data-bins and all runs."""
    return Twin(
        "align_mlm/2_train.sh", objective, yaml, overrides, ("trans_inv", "1"), tuple(PAPER_SIZES.items()),
        starts_from_checkpoint=False, data="data/trans_inv", run=f"{objective}.trans_inv-1",
    )  # fmt: skip


TWINS = (
    Twin("xlm_align/3_train.sh", "base", "base"),
    Twin(EXPLICIT, "weak", "weak"),
    Twin(EXPLICIT, "linear_mapping", "linear_mapping"),
    Twin("ppa/2_train.sh", "ppa", "ppa", **PPA),
    Twin("weam/2_train.sh", "weam", "weam", WEAM_SIZES, **WEAM),
    align_mlm("align_mlm", "align_mlm"),
    align_mlm("xlm", "xlm"),
)
L2 = ("criterion.objectives='l2_align,reg_param'", "criterion.word_contrastive_gather=false")
VARIANTS = (
    Twin(EXPLICIT, "l2", "weak", L2),
    Twin("ppa/2_train.sh", "ppa_mlm", "ppa", ("criterion.objectives='moco,sentence_mlm'",), **PPA),
    Twin("weam/2_train.sh", "weam_self", "weam", (*WEAM_SIZES, "criterion.word_exchange_links=self"), **WEAM),
    align_mlm("dict_mlm", "align_mlm", "criterion._name=dict_mlm", "model.language_embeddings='en,xx'"),
)


def recipe(twin):
    """``RECIPE/SETTING``."""
    return f"{twin.script.rpartition('/')[0]}/{twin.setting}"


def command_line(twin, folder, checkpoint):
    """What the script passes to fairseq-train, which a stand-in writes down here."""
    (folder / "bin" / twin.data).mkdir(parents=True, exist_ok=True)
    given = folder / "bin", folder / "save", twin.setting, *twin.arguments
    done = run_script(folder, twin.script, *given, INIT=checkpoint, **dict(twin.variables))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def job(twin, folder):
    """What read_options.py needs to know of a twin."""
    save, checkpoint = folder / "save" / twin.run, folder / "model.pt"
    checkpoint.touch()
    overrides = [
        f"common.user_dir={USER_DIR}",
        f"task.data={folder / 'bin' / twin.data}",
        f"checkpoint.save_dir={save}",
        f"common.log_file={save}/train.log",
        *twin.overrides,
    ]
    overrides.append(f"common.tensorboard_logdir={save}/tensorboard")
    if twin.starts_from_checkpoint:
        overrides.append(f"model.init_checkpoint={checkpoint}")
    return dict(
        arguments=command_line(twin, folder, str(checkpoint)),
        folder=str((EXAMPLES / twin.script).parent),
        name=twin.yaml,
        overrides=overrides,
    )


def read(twins, folder):
    """``{"section.option": value}`` of each script and of its YAML, every option of fairseq included."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("read_options.py"))],
        input=json.dumps([job(twin, folder) for twin in twins]),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.strip().split("\n")[-1])
    return {twin: [flat(each) for each in both] for twin, both in zip(twins, found, strict=True)}


@pytest.fixture(scope="module")
def configurations(tmp_path_factory):
    """Those of the recipes that have a YAML file of their own."""
    return read(TWINS, tmp_path_factory.mktemp("twins"))


def flat(configuration):
    return {
        f"{section}.{option}": value
        for section, values in configuration.items()
        if section != ASIDE and isinstance(values, dict)
        for option, value in values.items()
    }


def same_options(script, yaml):
    """Whether both train the same."""
    names = script.keys() | yaml.keys()
    pairs = {name: (script.get(name, "absent"), yaml.get(name, "absent")) for name in names}
    assert {name: both for name, both in pairs.items() if both[0] != both[1]} == {}
    assert yaml["task._name"] == "xalign_pretraining"


@pytest.mark.slow
@pytest.mark.parametrize("twin", TWINS, ids=recipe)
def test_yaml_has_the_options_of_the_script(twin, configurations):
    same_options(*configurations[twin])


@pytest.mark.slow
def test_yaml_with_overrides_has_the_options_of_the_other_settings(tmp_path):
    for both in read(VARIANTS, tmp_path).values():
        same_options(*both)


@pytest.mark.slow
@pytest.mark.parametrize("twin", TWINS, ids=recipe)
def test_the_papers_own_values_are_there(twin, configurations):
    paper = PAPERS[recipe(twin)]
    assert {option: configurations[twin][1][option] for option in paper} == paper
