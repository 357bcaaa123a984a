"""A small RoBERTa of fairseq's own, and checkpoints in the layouts that fairseq has used."""

import argparse
import re

import pytest
import torch

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.trainer import compat

SIZES = {"encoder_layers": 3, "encoder_embed_dim": 24, "encoder_ffn_embed_dim": 40, "encoder_attention_heads": 4}
WORDS = 30
POSITIONS = 20


@pytest.fixture(scope="session")
def roberta():
    """fairseq's RobertaModel with random weights, in evaluation mode, and the options it was built from."""
    compat.apply()
    from fairseq.data import Dictionary
    from fairseq.models.roberta.model import RobertaModel, base_architecture

    dictionary = Dictionary()
    for i in range(WORDS):
        dictionary.add_symbol(f"w{i}")
    dictionary.add_symbol("<mask>")
    args = argparse.Namespace(arch="roberta_base", max_positions=POSITIONS, dropout=0.1, **SIZES)
    base_architecture(args)
    task = argparse.Namespace(source_dictionary=dictionary, dictionary=dictionary)
    torch.manual_seed(0)
    model = RobertaModel.build_model(args, task).eval()
    with torch.no_grad():
        for parameter in model.parameters():  # biases and layer norms start at 0 and 1: make them count
            parameter.add_(torch.randn_like(parameter) * 0.1)
        model.encoder.sentence_encoder.embed_tokens.weight[1] = 0
        model.encoder.sentence_encoder.embed_positions.weight[1] = 0
    return model, args


@pytest.fixture
def old_state(roberta):
    """What xlmr.base/model.pt and roberta.base/model.pt look like: ``args``, ``decoder.*``, joint ``in_proj``."""
    model, args = roberta
    state = {}
    for key, value in model.state_dict().items():
        key = re.sub("^encoder", "decoder", key).replace("layernorm_embedding", "emb_layer_norm")
        if ".q_proj." in key:
            parts = [
                model.state_dict()[re.sub("^decoder", "encoder", key).replace("q_proj", f"{n}_proj")] for n in "qkv"
            ]
            key, value = key.replace("q_proj.", "in_proj_"), torch.cat(parts)
        elif ".k_proj." in key or ".v_proj." in key:
            continue
        state[key] = value.clone()
    state["decoder.sentence_encoder.embed_positions._float_tensor"] = torch.zeros(1)
    return {"args": argparse.Namespace(**vars(args)), "model": state}


@pytest.fixture
def tokens():
    """A padded batch; one row fills all positions."""
    generator = torch.Generator().manual_seed(1)
    lengths = (POSITIONS, 2, 7, 13, 1)
    batch = torch.full((len(lengths), POSITIONS), 1)
    for row, length in zip(batch, lengths, strict=True):
        row[:length] = torch.randint(4, WORDS + 5, (length,), generator=generator)
        row[0] = 0
    return batch


@pytest.fixture
def encoder(roberta):
    """This package's encoder with the weights of fairseq's."""
    model, args = roberta
    ours, heads = checkpoint.load_encoder({"args": args, "model": model.state_dict()})
    assert not heads
    return ours
