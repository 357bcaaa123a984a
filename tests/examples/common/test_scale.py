"""The batch stays the paper's on any number of GPUs; hours follow from tokens per second, or are not measured."""

import json
import sys

import pytest
import yaml

from tests.examples.recipes import load
from tests.examples.stand_ins import EXAMPLES
from xalign_fairseq.core.errors import XalignError

[scale] = load("common", "scale")


def told(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["scale.py", *arguments])
    scale.main()
    return capsys.readouterr().out


@pytest.mark.parametrize("gpus", [1, 2, 8, 16, 64])
@pytest.mark.parametrize("name", scale.RECIPES)
def test_the_batch_is_the_papers(name, gpus):
    recipe = scale.RECIPES[name]
    if name == "weam" and gpus > recipe.batch:
        with pytest.raises(XalignError, match="cannot be kept"):
            scale.steps(recipe, gpus, None)
        return
    per_gpu, count = scale.steps(recipe, gpus, None)
    assert gpus * per_gpu * count == recipe.batch and per_gpu <= recipe.per_gpu


def test_what_cannot_keep_the_batch_is_told():
    with pytest.raises(XalignError, match="cannot be kept"):
        scale.steps(scale.RECIPES["ppa"], 6, None)
    with pytest.raises(XalignError, match="--per-gpu 64"):
        scale.steps(scale.RECIPES["explicit_alignments"], 2, 32)
    with pytest.raises(XalignError, match="--per-gpu 64"):
        scale.steps(scale.RECIPES["ppa"], 2, 32)
    assert scale.steps(scale.RECIPES["weam"], 2, 8) == (8, 2)
    for gpus, per_gpu in ((0, None), (0, 32), (-1, None), (-1, -32), (2, 0)):
        with pytest.raises(XalignError, match=rf"--gpus {gpus}"):
            scale.steps(scale.RECIPES["ppa"], gpus, per_gpu)


def test_hours_follow_from_tokens_a_second(monkeypatch, capsys):
    text = told(
        monkeypatch,
        capsys,
        "ppa",
        "--gpus",
        "8",
        "--tokens-per-second",
        "100000",
        "--updates",
        "90000",
        "--tokens-per-pair",
        "100",
    )
    assert "BATCH=16 UPDATE_FREQ=1" in text and "tokens an update: 12,800" in text
    assert "GPU-hours: 3 at" in text  # 90,000 x 12,800 / 100,000 / 3,600 = 3.2


@pytest.mark.parametrize(
    "path", [path for name in scale.RECIPES for path in (EXAMPLES / name).glob("*.yaml")], ids=lambda path: path.stem
)
def test_the_recipes_keep_the_checkpoints_that_are_counted(path):
    recipe, kept = scale.RECIPES[path.parent.name], yaml.safe_load(path.read_text())["checkpoint"]
    if recipe.all_kept is None:
        assert kept["keep_interval_updates"] == 1
    else:
        assert kept["save_interval_updates"] == recipe.all_kept and "keep_interval_updates" not in kept


def test_a_measurement_is_that_of_the_recipe(tmp_path):
    row = {"arch": "base", "contestant": "xalign, XLM-Align", "vocabulary": "whole", "processes": 1}
    rows = [row | {"tokens_per_second": [1.0, 3.0]}, row | {"vocabulary": "trimmed", "tokens_per_second": [9.0]}]
    rows.append(row | {"dtype": "float32"})  # for which there was no time
    path = tmp_path / "training-cuda.json"
    recipe = scale.RECIPES["xlm_align"]
    assert scale.measured(recipe, path) is None
    path.write_text(json.dumps({"rows": rows}))
    assert scale.measured(recipe, path) == 3.0 and scale.measured(scale.RECIPES["ppa"], path) is None
