import json
from argparse import Namespace

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.version import __version__
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.encoder.pretrained.huggingface import side_files
from xalign_fairseq.encoder.pretrained.huggingface.side_files import training_record
from xalign_fairseq.encoder.pretrained.huggingface.weights import write_tensors

HEADS = {"heads.dwa.agreement": torch.tensor(0.5), "heads.moco.queue": torch.arange(6.0).view(2, 3)}


@pytest.fixture
def state():
    return {
        "cfg": {
            "model": Namespace(encoder_layers=2, dropout=0.2, init_checkpoint="/home/me/base.pt"),
            "criterion": {"_name": "xlm_align", "dwa_label_layer": 1},
            "task": {"data": "/home/me/data-bin", "seed": 3},
            "optimizer": {"lr": [0.1]},
        },
        "model": {},
        "task_state": {"transfer": {"benchmark": "xnli"}, "tokenizer": {"symbols": []}},
    }


def imported():
    """What an import knows before it looks at the side files."""
    return {
        "cfg": {"model": {"encoder_layers": 3, "dropout": 0.1}},
        "model": {"encoder.lm_head.bias": torch.ones(2)},
        "task_state": {"tokenizer": {"symbols": ["a"]}},
    }


def test_options_and_heads_are_restored_next_to_the_models_own(state, tmp_path):
    side_files.write(state, HEADS, tmp_path)
    assert json.loads((tmp_path / "xalign.json").read_text())["xalign_fairseq"] == __version__
    found = side_files.take_back(imported(), tmp_path)
    # config.json's sizes win, and paths of the original machine do not appear.
    assert found["cfg"]["model"] == {"encoder_layers": 3, "dropout": 0.1}
    assert found["cfg"]["criterion"] == state["cfg"]["criterion"] and found["cfg"]["task"] == {"seed": 3}
    assert "optimizer" not in found["cfg"]
    assert found["task_state"] == {"tokenizer": {"symbols": ["a"]}, "transfer": {"benchmark": "xnli"}}
    assert found["model"].keys() == {"encoder.lm_head.bias", *HEADS}
    assert all(torch.equal(value, found["model"][name]) for name, value in HEADS.items())
    assert found["training_record"] == {}


def test_labels_with_a_slash_are_restored(state, tmp_path):
    kept = {"transfer": {"benchmark": "pos", "labels": ["ADJ", "N/A", "NOUN"]}, "trimmed": {"to": ["a.en", "a.de"]}}
    side_files.write({**state, "task_state": {**kept, "tokenizer": {"symbols": []}}}, HEADS, tmp_path)
    assert side_files.take_back(imported(), tmp_path)["task_state"] == {"tokenizer": {"symbols": ["a"]}, **kept}


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"a": "/home/me", "b": "name", "c": None, "d": True, "e": 0.5}, {"b": "name", "c": None, "d": True, "e": 0.5}),
        ({"a": ("x", "/y", [1, "/z"])}, {"a": ["x", [1]]}),
        ({1: {"path": "/y", "n": 2}, "object": object()}, {"1": {"n": 2}}),
    ],
)
def test_plain_values_contain_no_machine_paths(given, left):
    assert side_files.plain(given) == left
    assert json.loads(json.dumps(side_files.plain(given))) == left


@pytest.mark.parametrize(
    "content",
    ['{"cfg": []}', '{"cfg": {}, "task_state": {}}', '{"cfg": {"model": 3}, "task_state": {}, "training_record": {}}'],
)
def test_malformed_options_are_refused(tmp_path, content):
    (tmp_path / "xalign.json").write_text(content)
    with pytest.raises(XalignError, match=r"unexpected content\n  where: .*xalign.json"):
        side_files.take_back(imported(), tmp_path)


def test_heads_that_are_parameters_of_the_model(tmp_path):
    write_tensors(tmp_path / "xalign_heads.safetensors", {**HEADS, "encoder.lm_head.bias": torch.zeros(2)})
    state = imported()
    with pytest.raises(XalignError, match=r"parameters that are not heads[\s\S]*\['encoder.lm_head.bias'\]"):
        side_files.take_back(state, tmp_path)
    assert state["model"]["encoder.lm_head.bias"].all()


@pytest.fixture
def trained(tmp_path):
    """The part of fairseq's state that a record uses."""
    data = tmp_path / "data-bin"
    data.mkdir()
    pairs = [
        {"split": "train", "src": "en", "tgt": "de", "pairs": 12_000},
        {"split": "valid", "src": "en", "tgt": "de", "pairs": 7},
    ]
    mono = [{"split": "train", "lang": "no", "sentences": 300}]
    (data / "manifest.json").write_text(json.dumps({"pairs": pairs, "mono": mono}))
    meters = [(180, "wpb", "AverageMeter", {"sum": 2_105_058}), (190, "bsz", "AverageMeter", {"sum": 46_512})]
    return {
        "cfg": {
            "model": {"init_checkpoint": "/home/me/xlmr.base/model.pt"},
            "criterion": {"objectives": "tlm,dwa", "dwa_weight": 0.5, "mlm_weight": 1.0},
            "task": {"data": f"{data}:{data}:{tmp_path / 'gone'}"},
            "common": {"seed": 3},
            "optimization": {"lr": [0.0005]},
            "checkpoint": {"best_checkpoint_metric": "aer"},
        },
        "optimizer_history": [{"num_updates": 10}, {"num_updates": 1000}],
        "extra_state": {"best": 0.25, "metrics": {"default": meters}},
        "model": {},
    }


def test_the_record(trained):
    assert training_record(trained) == {
        "started from": "model.pt",
        "objectives": {"tlm": 1.0, "dwa": 0.5},
        "updates": 1000,
        "items in batches": 46_512,
        "tokens in batches": 2_105_058,
        "learning rate": 0.0005,
        "seed": 3,
        "best on development data": {"aer": 0.25},
        "data": {"en-de": 24_000, "no": 600},  # two shards
    }


def test_a_fine_tuned_model_names_its_benchmark(trained):
    trained["cfg"]["criterion"] = {"_name": "transfer"}
    trained["task_state"] = {"transfer": {"benchmark": "xnli"}}
    record = training_record(trained)
    assert record["fine-tuned on"] == "xnli" and "objectives" not in record


def test_data_with_a_changed_manifest_count_as_they_are(trained, tmp_path):
    (tmp_path / "data-bin/manifest.json").write_text(
        json.dumps({"mono": [{"split": "train", "lang": "fr", "sentences": 3}]})
    )
    assert training_record(trained)["data"] == {"fr": 6}
    trained["task_state"] = {"tokenizer": {"symbols": Dictionary(["a"]).symbols}}
    assert training_record(trained)["data"] == {"fr": 6}
    of_others = {"tokenizer": {"digest": Dictionary(["b"]).digest}, "mono": []}
    (tmp_path / "data-bin/manifest.json").write_text(
        json.dumps(of_others | {"mono": [{"split": "train", "lang": "fr"}]})
    )
    assert "data" not in training_record(trained)
    (tmp_path / "data-bin/manifest.json").unlink()
    assert "data" not in training_record(trained)
