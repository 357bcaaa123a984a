"""mGTE: transformers' states, and those of a definition in the files' own names for folders of the authors' code."""

import json
import math

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from support.body_folders import assert_same_states, ragged_tokens, read_model, write_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.bodies.families import BODIES

# As gte-multilingual-base has them, but for the sizes.
PUBLISHED = {
    "model_type": "new", "architectures": ["NewModel"], "auto_map": {"AutoModel": "Alibaba-NLP/new-impl--NewModel"},
    "attention_probs_dropout_prob": 0.0, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 32,
    "intermediate_size": 40, "layer_norm_eps": 1e-12, "layer_norm_type": "layer_norm", "logn_attention_clip1": False,
    "logn_attention_scale": False, "max_position_embeddings": 8192, "num_attention_heads": 4, "num_hidden_layers": 3,
    "pack_qkv": True, "position_embedding_type": "rope", "rope_scaling": {"factor": 8.0, "type": "ntk"},
    "rope_theta": 20000, "type_vocab_size": 1, "unpad_inputs": False, "use_memory_efficient_attention": False,
}  # fmt: skip


def write_published(folder, **changes):
    """A small random folder in the form of the authors' code; its tensors."""
    write_model(folder, "gte")
    weights = {name.replace("gte.", "new."): value for name, value in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors")
    rows = len(weights["new.embeddings.word_embeddings.weight"])
    (folder / "config.json").write_text(json.dumps({**PUBLISHED, "vocab_size": rows, "pad_token_id": 0, **changes}))
    return weights


def restated(weights, ids, theta, factor):
    """Hidden states (T, H) of one sentence, layer by layer, head by head and place by place."""
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


def test_states_are_those_of_transformers(tmp_path):
    assert_same_states(tmp_path, "gte")


@pytest.mark.parametrize(
    ("changes", "theta", "factor"),
    [
        ({}, 20000, 8),
        ({"rope_scaling": None, "rope_theta": 160000.0}, 160000, 1),
    ],
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
def test_what_differs_is_refused(changes, match):
    with pytest.raises(XalignError, match=match):
        BODIES["new"].check({**PUBLISHED, **changes}, "here")
