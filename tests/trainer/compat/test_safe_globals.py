import argparse
import collections
import sys
import types

import pytest
import torch
from fairseq import checkpoint_utils
from fairseq.logging import meters
from support.damage import Foreign

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer import compat


@pytest.fixture(autouse=True)
def applied():
    compat.apply()


def old_args():
    """Options as in a RoBERTa checkpoint of 2019."""
    parts = {"task": "masked_lm", "arch": "roberta_base", "criterion": "masked_lm", "data": "/data-bin"}
    data = {"sample_break_mode": "complete", "tokens_per_sample": 512, "raw_text": False, "lazy_load": False}
    adam = {"optimizer": "adam", "adam_betas": "(0.9, 0.98)", "adam_eps": 1e-06, "weight_decay": 0.01}
    schedule = {"lr_scheduler": "polynomial_decay", "lr": [0.0006], "min_lr": -1, "warmup_updates": 24000}
    encoder = {f"encoder_{name}": size for name, size in (("layers", 2), ("embed_dim", 8), ("ffn_embed_dim", 16))}
    sizes = {"encoder_attention_heads": 2, "max_positions": 512, "total_num_update": 500000}
    return argparse.Namespace(**parts, **data, **adam, **schedule, **encoder, **sizes)


def old_state(**extra):
    return {
        "args": old_args(),
        "model": collections.OrderedDict({"decoder.sentence_encoder.embed_tokens.weight": torch.ones(5, 8)}),
        "optimizer_history": [
            {"criterion_name": "MaskedLmLoss", "optimizer_name": "Adam", "lr_scheduler_state": {}, "num_updates": 7}
        ],
        "extra_state": {"train_iterator": {"epoch": 0}, "val_loss": 2.5, **extra},
        "last_optimizer_state": None,
    }


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "before torch 1.6"])
def test_a_roberta_of_2019_loads(tmp_path, zipped):
    torch.save(old_state(), tmp_path / "model.pt", _use_new_zipfile_serialization=zipped)
    state = checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "model.pt"), {"data": "elsewhere"})
    assert state["cfg"].model.encoder_embed_dim == 8
    assert state["cfg"].task.data == "elsewhere"
    assert state["optimizer_history"][-1]["num_updates"] == 7
    assert state["model"]["decoder.sentence_encoder.embed_tokens.weight"].sum() == 40


def test_meters_of_a_removed_module_load(tmp_path, monkeypatch):
    gone = types.ModuleType("fairseq.meters")
    gone.AverageMeter = type("AverageMeter", (), {"__module__": "fairseq.meters"})
    monkeypatch.setitem(sys.modules, "fairseq.meters", gone)
    meter = gone.AverageMeter()
    meter.__dict__.update(val=1.5, sum=3.0, count=2, round=None)
    torch.save(old_state(train_meters=collections.OrderedDict(train_loss=meter)), tmp_path / "model.pt")
    monkeypatch.delitem(sys.modules, "fairseq.meters")
    state = checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "model.pt"))
    loaded = state["extra_state"]["train_meters"]["train_loss"]
    assert type(loaded) is meters.AverageMeter
    assert loaded.avg == 1.5


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "before torch 1.6"])
def test_foreign_code_is_refused_and_not_run(tmp_path, zipped):
    state = old_state(best=Foreign(tmp_path / "ran"))
    torch.save(state, tmp_path / "model.pt", _use_new_zipfile_serialization=zipped)
    with pytest.raises(XalignError, match=r"foreign pickled code(.|\n)*mkdir"):
        checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "model.pt"))
    assert not (tmp_path / "ran").exists()
