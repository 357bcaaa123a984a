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


@pytest.mark.parametrize(("theirs", "ours"), [(1e-12, 1e-5), (None, 1e-12)])
def test_starting_from_an_encoder_with_another_names_the_option(tmp_path, theirs, ours):
    xalign_fairseq.register()
    from xalign_fairseq.models.xalign import XalignModel

    task = SimpleNamespace(
        restoring=False, dictionary=SimpleNamespace(embedding_size=20), load_state_dict=lambda state: None
    )
    said = {} if theirs is None else {"layer_norm_eps": theirs}
    torch.save(state_of(EncoderConfig(20, **SIZES), **said), tmp_path / "bert.pt")
    options = argparse.Namespace(**SIZES, init_checkpoint=str(tmp_path / "bert.pt"), language_embeddings="")
    expected = theirs or 1e-5
    options.layer_norm_eps = expected
    assert {each.eps for each in norms(XalignModel.build_model(options, task))} == {expected}
    options.layer_norm_eps = ours
    with pytest.raises(XalignError, match=f"(?s)found: {ours}.*expected: {expected}.*layer_norm_eps={expected}"):
        XalignModel.build_model(options, task)


def test_starting_from_an_encoder_with_other_token_types_names_the_option(tmp_path):
    xalign_fairseq.register()
    from xalign_fairseq.models.xalign import XalignModel

    task = SimpleNamespace(
        restoring=False, dictionary=SimpleNamespace(embedding_size=20), load_state_dict=lambda state: None
    )
    config = EncoderConfig(20, **SIZES, token_types=2)
    torch.save(state_of(config, token_types=2), tmp_path / "bert.pt")
    options = argparse.Namespace(**SIZES, init_checkpoint=str(tmp_path / "bert.pt"), language_embeddings="")
    with pytest.raises(XalignError, match=r"(?s)found: 1.*expected: 2.*token_types=2"):
        XalignModel.build_model(options, task)
    options.token_types = 2
    built = XalignModel.build_model(options, task)
    assert "encoder.sentence_encoder.second_text" in built.state_dict()
    with pytest.raises(XalignError, match=r"(?s)token types.*found: 3"):
        EncoderConfig(20, token_types=3)


def test_it_must_be_positive():
    with pytest.raises(XalignError, match=r"(?s)layer_norm_eps.*found: 0"):
        EncoderConfig(20, layer_norm_eps=0.0)
