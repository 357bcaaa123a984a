"""Folders of encoders run by transformers: base models, models with heads, refusals."""

import logging

import pytest
import torch
from support.body_folders import MODELS, ragged_tokens, read_model, their_states, write_model
from support.huggingface_folders import change_weights, configure

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.huggingface import adapting
from xalign_fairseq.encoder.pretrained.reading import read_pretrained


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_without_a_head_is_read_too(tmp_path, kind):
    model = write_model(tmp_path, kind)
    model.base_model.save_pretrained(tmp_path)
    encoder, tokenizer = read_model(tmp_path)
    tokens = ragged_tokens(encoder)
    last = encoder.states(tokens, grad=False).layer(-1)
    keep = tokens.ne(1)
    torch.testing.assert_close(last[keep], their_states(model, tokenizer, tokens)[-1][keep], rtol=1e-4, atol=2e-5)


def test_a_folder_is_known_by_its_configuration(tmp_path):
    assert not adapting.is_body(tmp_path)
    write_model(tmp_path, "eurobert")
    assert adapting.is_body(tmp_path)
    configure(tmp_path, model_type="xlm-roberta")
    assert not adapting.is_body(tmp_path)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda state: state.pop("model.layers.1.attn.Wo.weight"), "1 missing"),
        (lambda state: state.update({"model.layers.1.attn.other": torch.zeros(1)}), "1 unknown"),
        (lambda state: state.update({"model.final_norm.weight": torch.zeros(3)}), "size of a parameter differs"),
    ],
)
def test_other_parameters_are_refused(tmp_path, change, match):
    write_model(tmp_path, "modernbert")
    change_weights(tmp_path, change)
    with pytest.raises(XalignError, match=match):
        adapting.read(tmp_path)


@pytest.mark.parametrize("rows", [None, 0, "60"])
def test_a_vocabulary_without_a_size_is_refused(tmp_path, rows):
    write_model(tmp_path, "modernbert")
    configure(tmp_path, vocab_size=rows)
    with pytest.raises(XalignError, match="vocab_size"):
        adapting.read(tmp_path)


def test_a_checkpoints_damaged_body_is_refused(tmp_path):
    write_model(tmp_path, "modernbert")
    state, where = read_pretrained(tmp_path)
    state["cfg"]["model"]["transformers_config"] = "{"
    with pytest.raises(XalignError):
        checkpoint.load_encoder(state, where)


@pytest.mark.parametrize(("kind", "changes"), [
    ("modernbert", {}), ("modernbert", {"classifier_bias": True, "norm_bias": True, "decoder_bias": False}),
    ("deberta-v2", {}), ("gte", {}),
])  # fmt: skip
def test_logits_equal_transformers(tmp_path, kind, changes):
    model = write_model(tmp_path, kind, **changes)
    encoder, tokenizer = read_model(tmp_path)
    tokens = ragged_tokens(encoder)
    keep, order = tokens.ne(1), torch.tensor(tokenizer.pipeline.order)
    with torch.no_grad():
        theirs = model(input_ids=order[tokens].where(keep, torch.tensor(0)), attention_mask=keep.long()).logits
        head, states = encoder.lm_head, encoder.states(tokens, grad=False).layer(-1)
        ours = head.features(states) @ head.weight.T + head.bias
    torch.testing.assert_close(ours[keep], theirs[..., order][keep], rtol=1e-4, atol=5e-5)


def is_made(folder):
    """Whether the loaded head was made from the embeddings."""
    return torch.equal(read_model(folder)[0].lm_head.dense.weight, torch.eye(32))


def test_heads_of_other_shapes_are_left_out(tmp_path):
    write_model(tmp_path / "eurobert", "eurobert")
    assert is_made(tmp_path / "eurobert")
    folder = tmp_path / "modernbert"
    write_model(folder, "modernbert")
    assert not is_made(folder)
    configure(folder, classifier_activation="silu")
    assert is_made(folder)
    configure(folder, classifier_activation="gelu")
    change_weights(folder, lambda weights: weights.pop("head.norm.weight"))
    assert is_made(folder)


def test_unused_weights_are_logged(tmp_path, caplog):
    write_model(tmp_path, "m2m_100")
    with caplog.at_level(logging.WARNING):
        adapting.read(tmp_path)
    assert "not used" in caplog.text and "7 rows of padding" in caplog.text
