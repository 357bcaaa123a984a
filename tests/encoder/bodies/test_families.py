"""Families: what their configurations give, what is refused, and our dropout rates."""

import json
import math
import sys
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from support.body_folders import ragged_tokens, read_model, write_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.bodies.body import TransformersBody
from xalign_fairseq.encoder.bodies.families import BODIES, read_settings, takes_positions, warn_of_dropout
from xalign_fairseq.encoder.config import DROPOUTS, EncoderConfig

FAMILY = BODIES["modernbert"]
FOUND = {
    "model_type": "modernbert",
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "mlp_dropout": 0.25,
    "torch_dtype": "float32",
    "auto_map": {"AutoModel": "code.Model"},
}


@pytest.mark.parametrize("given", ["llama", None, 3, ["mt5"]])
def test_an_unknown_architecture_is_refused_with_a_list(given):
    with pytest.raises(XalignError, match="modernbert, eurobert, mt5, m2m_100, deberta-v2"):
        read_settings(json.dumps({"model_type": given}), "config.json")


def config_of(kind, **settings):
    """The configuration of an encoder of a family; None: of our own."""
    form = settings
    if kind:
        required = (*BODIES[kind].sizes.values(), *BODIES[kind].required)
        form = {"model_type": kind, **dict.fromkeys(required, 4), **settings}
    return EncoderConfig(
        60, encoder_embed_dim=4, encoder_attention_heads=4, transformers_config=json.dumps(form) if form else ""
    )


@pytest.mark.parametrize(
    ("kind", "settings", "taken"),
    [
        (None, {}, True),
        ("modernbert", {}, True),
        ("mt5", {}, False),
        ("deberta-v2", {}, True),
        ("deberta-v2", {"position_biased_input": True}, True),
        ("deberta-v2", {"position_biased_input": False}, False),
    ],
)
def test_encoders_with_relative_positions_take_no_positions(kind, settings, taken):
    assert takes_positions(config_of(kind, **settings)) is taken


@pytest.mark.parametrize(
    ("kind", "lacks"),
    [
        ("eurobert", ["dropout", "activation_dropout"]),
        ("mt5", ["attention_dropout", "activation_dropout"]),
        ("deberta-v2", ["activation_dropout"]),
        ("modernbert", []),
        (None, []),
    ],
)
def test_unsupported_dropout_rates_give_a_warning(kind, lacks, caplog):
    config = config_of(kind)
    warn_of_dropout(config)
    assert not caplog.records
    warn_of_dropout(replace(config, **dict.fromkeys(DROPOUTS, 0.25)))
    assert [record.getMessage().split(" has no effect")[0] for record in caplog.records] == [
        f"{name} 0.25" for name in lacks
    ]


def test_only_settings_of_the_encoder_are_kept():
    assert FAMILY.check(FOUND, "here").keys() == FOUND.keys() - {"torch_dtype", "auto_map"}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"hidden_size": None}, "no hidden_size"),
        ({"hidden_size": "16"}, "hidden_size"),
        ({"rope_parameters": [1]}, "rope_parameters"),
        ({"position_embedding_type": "sans_pos"}, "position_embedding_type sans_pos"),
    ],
)
def test_malformed_settings_are_refused(change, match):
    with pytest.raises(XalignError, match=match):
        FAMILY.encoder_config(FAMILY.check({**FOUND, **change}, "here"), 60, "here")


def test_sizes_and_rates_are_the_models_own():
    config = FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")
    assert (config.encoder_layers, config.encoder_embed_dim, config.activation_dropout) == (2, 16, 0.25)
    assert json.loads(config.transformers_config)["hidden_size"] == 16
    assert EncoderConfig.from_options(config.as_options() | {"activation_dropout": 0.25}, 60) == config


def test_dropout_rates_come_from_the_options():
    config = FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")
    body = TransformersBody(replace(config, dropout=0.5, activation_dropout=0.0))
    assert body.rest.embeddings.drop.p == 0.5 and body.layers[0].inner.mlp.drop.p == 0


def test_sizes_that_differ_from_the_configuration_are_refused():
    config = FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")
    with pytest.raises(XalignError, match="encoder_layers 3"):
        TransformersBody(replace(config, encoder_layers=3))


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(XalignError, match=r"pip install .transformers>=5"):
        FAMILY.encoder_config(FAMILY.check(FOUND, "here"), 60, "here")


# As in gte-multilingual-base, except for the sizes.
PUBLISHED = {
    "model_type": "new",
    "architectures": ["NewModel"],
    "auto_map": {"AutoModel": "Alibaba-NLP/new-impl--NewModel"},
    "attention_probs_dropout_prob": 0.0,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 32,
    "intermediate_size": 40,
    "layer_norm_eps": 1e-12,
    "layer_norm_type": "layer_norm",
    "logn_attention_clip1": False,
    "logn_attention_scale": False,
    "max_position_embeddings": 8192,
    "num_attention_heads": 4,
    "num_hidden_layers": 3,
    "pack_qkv": True,
    "position_embedding_type": "rope",
    "rope_scaling": {"factor": 8.0, "type": "ntk"},
    "rope_theta": 20000,
    "type_vocab_size": 1,
    "unpad_inputs": False,
    "use_memory_efficient_attention": False,
}


def write_published(folder, **changes):
    """A small random folder in the form of the authors' code; its tensors."""
    write_model(folder, "gte")
    weights = {name.replace("gte.", "new."): value for name, value in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors")
    rows = len(weights["new.embeddings.word_embeddings.weight"])
    (folder / "config.json").write_text(json.dumps({**PUBLISHED, "vocab_size": rows, "pad_token_id": 0, **changes}))
    return weights


def restated(weights, ids, theta, factor):
    """Hidden states (T, H) of one sentence by loops over layers, heads and positions."""
    heads, size = 4, 8

    def norm(x, name):
        return F.layer_norm(x, (32,), weights[f"new.{name}.weight"], weights[f"new.{name}.bias"], 1e-12)

    def turned(vector, place):
        out = torch.empty(size)
        for i in range(size // 2):
            angle = place / (theta * factor) ** (2 * i / size) / factor ** (2 / size)
            a, b = vector[i], vector[i + size // 2]
            out[i] = a * math.cos(angle) - b * math.sin(angle)
            out[i + size // 2] = b * math.cos(angle) + a * math.sin(angle)
        return out

    x = weights["new.embeddings.word_embeddings.weight"][ids]
    x = norm(x + weights["new.embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    states = [x]
    for layer in range(3):
        own = f"encoder.layer.{layer}."
        of = {name.removeprefix(f"new.{own}"): value for name, value in weights.items()}
        joined = x @ of["attention.qkv_proj.weight"].T + of["attention.qkv_proj.bias"]
        q, k, v = (part.view(-1, heads, size) for part in joined.split(32, 1))
        mixed = torch.empty_like(v)
        for head in range(heads):
            left = torch.stack([turned(each, place) for place, each in enumerate(q[:, head])])
            right = torch.stack([turned(each, place) for place, each in enumerate(k[:, head])])
            mixed[:, head] = (left @ right.T / math.sqrt(size)).softmax(1) @ v[:, head]
        out = mixed.flatten(1) @ of["attention.o_proj.weight"].T + of["attention.o_proj.bias"]
        x = norm(x + out, f"{own}attn_ln")
        up, gate = (x @ of["mlp.up_gate_proj.weight"].T).split(40, 1)
        out = (up * F.gelu(gate)) @ of["mlp.down_proj.weight"].T + of["mlp.down_proj.bias"]
        x = norm(x + out, f"{own}mlp_ln")
        states.append(x)
    return states


@pytest.mark.parametrize(
    ("changes", "theta", "factor"), [({}, 20000, 8), ({"rope_scaling": None, "rope_theta": 160000.0}, 160000, 1)]
)
def test_states_of_published_folders_are_their_definition(tmp_path, changes, theta, factor):
    weights = write_published(tmp_path, **changes)
    encoder, tokenizer = read_model(tmp_path)
    tokens = ragged_tokens(encoder)
    ids = torch.tensor(tokenizer.pipeline.order)[tokens]
    states = encoder.states(tokens, grad=False)
    for row, length in enumerate(tokens.ne(1).sum(1).tolist()):
        for layer, expected in enumerate(restated(weights, ids[row, :length], theta, factor)):
            torch.testing.assert_close(states.layer(layer)[row, :length], expected, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"rope_scaling": {"type": "dynamic", "factor": 8.0}}, "rope_scaling"),
        ({"rope_scaling": {"type": "ntk"}}, "rope_scaling"),
        ({"rope_scaling": {"type": "ntk", "factor": 8.0, "mixed_b": 0.75}}, "mixed_b"),
        ({"position_embedding_type": "absolute"}, "position_embedding_type absolute"),
        ({"pack_qkv": False}, "pack_qkv False"),
        ({"logn_attention_scale": True}, "logn_attention_scale True"),
    ],
)
def test_unsupported_settings_are_refused(changes, match):
    with pytest.raises(XalignError, match=match):
        BODIES["new"].check({**PUBLISHED, **changes}, "here")
