"""Checkpoints as earlier runs or fairseq itself would save them, and the memory that maps their files."""

import argparse
import re
from argparse import Namespace
from pathlib import Path

import pytest
import torch

from support.small import move
from support.text import encoder_state
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.encoder import checkpoint, masked_lm
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.trainer import compat


def mappings_of(path):
    """The ranges of addresses at which a file is mapped."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, *_, name = line.split(maxsplit=5)
        if name == str(path):
            begin, end = (int(each, 16) for each in addresses.split("-"))
            found.append(range(begin, end))
    return found


ROBERTA_SIZES = {
    "encoder_layers": 3,
    "encoder_embed_dim": 24,
    "encoder_ffn_embed_dim": 40,
    "encoder_attention_heads": 4,
}
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
    args = argparse.Namespace(arch="roberta_base", max_positions=POSITIONS, dropout=0.1, **ROBERTA_SIZES)
    base_architecture(args)
    task = argparse.Namespace(source_dictionary=dictionary, dictionary=dictionary)
    torch.manual_seed(0)
    model = RobertaModel.build_model(args, task).eval()
    move(model)
    with torch.no_grad():
        model.encoder.sentence_encoder.embed_tokens.weight[1] = 0
        model.encoder.sentence_encoder.embed_positions.weight[1] = 0
    return model, args


@pytest.fixture
def old_state(roberta):
    """The format of xlmr.base/model.pt and roberta.base/model.pt: ``args``, ``decoder.*``, joint ``in_proj``."""
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
    state["decoder.sentence_encoder.version"] = torch.ones(1)
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
    ours, heads = checkpoint.load_encoder({"args": args, "model": masked_lm.today(model.state_dict())})
    assert not heads
    return ours


ROWS = "encoder.sentence_encoder.embed_languages.weight"


def with_languages(state, *names, scale=1.0):
    """The content of a checkpoint whose encoder adds an embedding for each of these languages, drawn from N(0, scale).

    With ``scale`` 0 the encoder is unchanged.
    """
    given = state["cfg"]["model"]
    options = {**(vars(given) if isinstance(given, Namespace) else given), "language_embeddings": ",".join(names)}
    dim = state["model"]["encoder.sentence_encoder.embed_tokens.weight"].shape[1]
    drawn = torch.randn(len(names), dim, generator=torch.Generator().manual_seed(5)) * scale
    return {**state, "cfg": {**state["cfg"], "model": Namespace(**options)}, "model": {**state["model"], ROWS: drawn}}


def with_head(state, spec):
    """The content of a checkpoint with the head of a task next to its encoder: always the same one."""
    encoder, _ = checkpoint.load_encoder(state)
    torch.manual_seed(1)
    head = spec.build_head(spec.build_family(load_tokenizer(state, encoder.config.vocab_size)), encoder.config)
    weights = {f"heads.{spec.head_name}.{key}": value for key, value in head.state_dict().items()}
    task_state = {**state["task_state"], "transfer": spec.to_state()}
    return {**state, "model": {**state["model"], **weights}, "task_state": task_state}


def checkpoint_of(databin, path):
    """Write an untrained encoder for a data-bin, with another objective's head and maps of another language."""
    sizes = {"encoder_layers": 2, "encoder_embed_dim": 16, "encoder_ffn_embed_dim": 32, "encoder_attention_heads": 2}
    sizes |= {"max_positions": 60}
    data = DataBin(databin)
    state = encoder_state(data.dictionary, data.tokenizer_model, sizes)
    state["cfg"]["criterion"] = {"_name": "xlm_align", "dwa_label_layer": 1}
    state["model"] |= {"heads.dwa.agreement": torch.tensor(0.5)}
    state["model"] |= {"heads.linear_mapping.maps.xx": torch.zeros(3, 16, 16)}
    torch.save(state | {"optimizer_history": [{"num_updates": 3}]}, path)
    return path
