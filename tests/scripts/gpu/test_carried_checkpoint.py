"""A checkpoint that is carried from a machine: what it keeps, its size, its parts."""

import subprocess

import pytest
import torch

from xalign_fairseq.core.files import file_sha256
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder

CONFIG = EncoderConfig(
    vocab_size=60, encoder_layers=2, encoder_embed_dim=8, encoder_ffn_embed_dim=16, encoder_attention_heads=2
)


@pytest.fixture
def trained(tmp_path):
    """A checkpoint as fairseq-train leaves it, with an optimiser's state."""
    encoder = Encoder(CONFIG)
    weights = {f"encoder.{name}": value for name, value in encoder.state_dict().items()}
    state = {
        "model": {**weights, "heads.dwa.pointer.query.weight": torch.randn(8, 8), "heads.moco.count": torch.tensor(3)},
        "cfg": {"model": {"encoder_attention_heads": 2}},
        "task_state": {"family": "e5-small"},
        "optimizer_history": [{"num_updates": 7}],
        "last_optimizer_state": {"moments": torch.zeros(10**6)},
    }
    torch.save(state, tmp_path / "checkpoint_best.pt")
    return encoder, tmp_path / "checkpoint_best.pt"


def test_what_is_carried_is_the_model_in_16_bits(gpu_script, trained, tmp_path):
    encoder, source = trained
    found = gpu_script("carried_checkpoint").carry(source, tmp_path / "out" / "model.pt")
    path = tmp_path / "out" / "model.pt"
    assert found == {"files": ["model.pt"], "bytes": path.stat().st_size, "sha256": file_sha256(path)}
    state = checkpoint.read(path)
    assert state["task_state"] == {"family": "e5-small"} and "last_optimizer_state" not in state
    assert state["training_record"]["updates"] == 7 and state["model"]["heads.moco.count"] == 3
    words, head = (state["model"][f"encoder.{name}.weight"] for name in ("sentence_encoder.embed_tokens", "lm_head"))
    assert words.dtype == torch.float16 and words.data_ptr() == head.data_ptr()
    again, heads = checkpoint.load_encoder(state)
    for name, value in encoder.state_dict().items():
        torch.testing.assert_close(again.state_dict()[name], value, rtol=1e-3, atol=1e-4)
    assert heads["heads.dwa.pointer.query.weight"].shape == (8, 8)


def test_parts_are_joined_by_the_command_that_is_given(gpu_script, trained, tmp_path):
    carried = gpu_script("carried_checkpoint")
    whole = carried.carry(trained[1], tmp_path / "whole.pt")
    found = carried.carry(trained[1], tmp_path / "model.pt", part=4000)
    assert found["files"] == [f"model.pt.part-{n:02}" for n in range(len(found["files"]))] and len(found["files"]) > 2
    assert all((tmp_path / name).stat().st_size <= 4000 for name in found["files"])
    assert not (tmp_path / "model.pt").exists()
    subprocess.run(found["join"], shell=True, cwd=tmp_path, check=True)
    assert file_sha256(tmp_path / "model.pt") == found["sha256"] and found["bytes"] == whole["bytes"]
    # Parts of before do not stay.
    carried.carry(trained[1], tmp_path / "model.pt")
    assert not list(tmp_path.glob("*.part-*"))
