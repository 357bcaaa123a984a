import argparse
from types import SimpleNamespace

import pytest
import torch
from torch import nn

import xalign_fairseq
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.copies import EncoderCopy
from xalign_fairseq.encoder.transformer import Encoder

SIZES = {"encoder_layers": 2, "encoder_embed_dim": 8, "encoder_ffn_embed_dim": 16, "encoder_attention_heads": 2}


def norms(module):
    return [each for each in module.modules() if isinstance(each, nn.LayerNorm)]


def test_every_layer_norm_has_it():
    plain, bert = EncoderConfig(20, **SIZES), EncoderConfig(20, **SIZES, layer_norm_eps=1e-12)
    assert [each.eps for each in norms(Encoder(plain))] == [1e-5] * 6  # embeddings, two in each layer, the MLM head
    assert [each.eps for each in norms(Encoder(bert))] == [1e-12] * 6
    assert [each.eps for each in norms(EncoderCopy(bert))] == [1e-12] * 5


def state_of(config, **said):
    """A checkpoint with options in addition to the number of heads."""
    encoder = Encoder(config)
    weights = {f"encoder.{name}": value for name, value in encoder.state_dict().items()}
    return {"cfg": {"model": {"encoder_attention_heads": 2, **said}}, "model": weights}


@pytest.mark.parametrize(("said", "expected"), [({}, 1e-5), ({"layer_norm_eps": 1e-12}, 1e-12)])
def test_a_checkpoint_says_which_it_has(said, expected):
    encoder, _ = checkpoint.load_encoder(state_of(EncoderConfig(20, **SIZES), **said))
    assert encoder.config.layer_norm_eps == expected
    assert {each.eps for each in norms(encoder)} == {expected}


@pytest.mark.parametrize(("name", "theirs", "ours"), [
    ("layer_norm_eps", 1e-12, 1e-5), ("layer_norm_eps", 1e-5, 1e-12), ("token_types", 2, 1),
])  # fmt: skip
def test_starting_from_an_encoder_with_another_names_the_option(tmp_path, name, theirs, ours):
    xalign_fairseq.register()
    from xalign_fairseq.models.xalign import XalignModel

    task = SimpleNamespace(
        restoring=False, dictionary=SimpleNamespace(embedding_size=20), load_state_dict=lambda state: None
    )
    config = EncoderConfig(20, **SIZES, **{name: theirs})
    torch.save(state_of(config, **{name: theirs}), tmp_path / "bert.pt")
    options = argparse.Namespace(**SIZES, init_checkpoint=str(tmp_path / "bert.pt"), language_embeddings="")
    setattr(options, name, theirs)
    built = XalignModel.build_model(options, task)
    assert {each.eps for each in norms(built)} == {config.layer_norm_eps}
    assert ("encoder.sentence_encoder.second_text" in built.state_dict()) is (config.token_types == 2)
    setattr(options, name, ours)
    with pytest.raises(XalignError, match=f"(?s)found: {ours}.*expected: {theirs}.*{name}={theirs}"):
        XalignModel.build_model(options, task)
