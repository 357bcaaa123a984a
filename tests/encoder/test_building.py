import argparse
import os
import sys

import pytest
import torch
from support.warm_start import WARM
from torch import nn

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.building import Undrawn, build_encoder, require_checkpoint, require_parameters, shapes
from xalign_fairseq.encoder.checkpoint import load_encoder, read, require_options
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder

CONFIG = EncoderConfig(30, 2, 8, 16, 2, max_positions=10, language_embeddings="en,de")


@pytest.fixture
def encoder():
    torch.manual_seed(1)
    return Encoder(CONFIG).eval()


def test_parameters_are_not_drawn_inside_but_after():
    torch.manual_seed(0)
    before = torch.get_rng_state()
    with Undrawn():
        Encoder(CONFIG)
        nn.init.normal_(tensor=torch.zeros(3))
    assert torch.equal(torch.get_rng_state(), before)
    assert nn.Linear(8, 8).weight.std() > 0
    assert not torch.equal(torch.get_rng_state(), before)


def test_the_encoder_has_the_tensors_themselves(encoder):
    given = encoder.state_dict()
    built, missing, unexpected = build_encoder(CONFIG, given)
    assert (missing, unexpected) == ([], []) and not built.training
    for name, value in built.state_dict().items():
        assert value.data_ptr() == given[name].data_ptr(), name
    assert built.lm_head.weight is built.sentence_encoder.embed_tokens.weight
    assert all(parameter.requires_grad for parameter in built.parameters())
    assert shapes(CONFIG) == {name: tuple(value.shape) for name, value in given.items()}
    halves, _, _ = build_encoder(CONFIG, {name: value.half() for name, value in given.items()})
    assert {parameter.dtype for parameter in halves.parameters()} == {torch.float32}


def test_missing_and_unexpected_names(encoder):
    given = encoder.state_dict()
    given["extra"] = given.pop("lm_head.dense.bias")
    del given["lm_head.weight"]  # the embeddings by another name
    assert build_encoder(CONFIG, given)[1:] == (["lm_head.dense.bias"], ["extra"])


def test_building_imports_no_compiler():
    program = """
import sys
from xalign_fairseq.encoder.building import build_encoder, shapes
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder

config = EncoderConfig(30, 2, 8, 16, 2)
shapes(config), build_encoder(config, Encoder(config).state_dict())
print("torch._dynamo" in sys.modules)
"""
    done = WARM.run("torch", [sys.executable, "-c", program], None, dict(os.environ))
    assert done.stdout == "False\n", done.stderr


WITHOUT_LANGUAGES = EncoderConfig(30, 2, 8, 16, 2, max_positions=10)
WORDS = "encoder.sentence_encoder.embed_tokens.weight"


@pytest.fixture
def state():
    torch.manual_seed(1)
    model = {f"encoder.{name}": value for name, value in Encoder(WITHOUT_LANGUAGES).state_dict().items()}
    return {
        "model": model,
        "cfg": {"model": {"encoder_attention_heads": 2}},
        "task_state": {"tokenizer": {"symbols": ["<s>", "a"], "sentencepiece": torch.zeros(3, dtype=torch.uint8)}},
    }


def test_a_complete_state(state):
    assert require_checkpoint(state, "here") is state
    assert load_encoder(state)[0].config == WITHOUT_LANGUAGES
    state["cfg"] = None
    state["args"] = argparse.Namespace(encoder_attention_heads=2)
    assert load_encoder(require_checkpoint(state, "here"))[0].config == WITHOUT_LANGUAGES


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state["model"].update(a=3), "`Tensor`, got `int`"),
        (lambda state: state["model"].update({3: torch.zeros(1)}), "`key` in `\\$.model`"),
        (lambda state: state.update(cfg=[1]), "\\$.cfg"),
        (lambda state: state.update(args={"a": 1}), "`Namespace"),
        (lambda state: state["task_state"]["tokenizer"].update(symbols=torch.zeros(1_000_000)), "symbols"),
        (lambda state: state["task_state"]["tokenizer"].update(symbols=[1, 2]), "symbols\\[0\\]"),
        (lambda state: state["task_state"]["tokenizer"].update(sentencepiece=torch.zeros(3)), "torch.float32"),
        (lambda state: state["task_state"].update(family=7), "family"),
        (lambda state: state.update(optimizer_history=[{"num_updates": "7"}]), "num_updates"),
        (lambda state: state["model"].update(a=torch.zeros(2, 2).to_sparse()), "sparse or quantised"),
    ],
)
def test_other_types_are_named_with_the_file_and_their_place(state, tmp_path, change, message):
    change(state)
    torch.save(state, tmp_path / "model.pt")
    with pytest.raises(XalignError, match=message) as error:
        read(tmp_path / "model.pt")
    assert "model.pt" in str(error.value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("encoder.sentence_encoder.layers.1.fc1.weight", torch.zeros(16, 9), r"fc1.weight\n  found: \(16, 9\)"),
        ("encoder.sentence_encoder.layers.0.fc1.bias", torch.zeros(17), r"expected: \(17"),
        ("encoder.sentence_encoder.layers.1.final_layer_norm.bias", torch.zeros(()), r"found: \(\)"),
        ("encoder.sentence_encoder.layers.1.fc1.bias", torch.zeros(16, dtype=torch.int64), "int64"),
        ("encoder.sentence_encoder.layers.7.fc1.bias", torch.zeros(16), "missing|unexpected"),
        ("encoder.sentence_encoder.layers.x.fc1.bias", torch.zeros(16), "unexpected"),
        (WORDS, torch.zeros(30), "no encoder of this kind"),
        ("encoder.sentence_encoder.embed_positions.weight", torch.zeros(1, 8), "max_positions"),
    ],
)
def test_contradictory_shapes(state, name, value, message):
    state["model"][name] = value
    with pytest.raises(XalignError, match=message):
        load_encoder(state)


def test_impossible_sizes_are_refused_before_building():
    for sizes in ({"encoder_layers": 10**6}, {"encoder_embed_dim": 2**63}, {"vocab_size": 0}, {"dropout": 2.0}):
        with pytest.raises(XalignError):
            EncoderConfig(**{**vars(WITHOUT_LANGUAGES), **sizes})
    require_parameters({"other": torch.zeros(3)}, WITHOUT_LANGUAGES, "here")  # names are for others


@pytest.mark.parametrize("heads", [0, 3, "2", 10**30])
def test_unknown_encoder_options(state, heads):
    state["cfg"]["model"]["encoder_attention_heads"] = heads
    with pytest.raises(XalignError, match="heads"):
        load_encoder(require_options(state, "here"))
