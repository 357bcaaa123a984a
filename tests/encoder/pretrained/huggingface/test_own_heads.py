"""Heads of ModernBERT, DeBERTa and mGTE: transformers' logits, and one of our own where theirs is of another form."""

import pytest
import torch
from support.body_folders import ragged_tokens, read_model, write_model
from support.huggingface_folders import change_weights, configure

from xalign_fairseq.encoder.bodies.families import BODIES
from xalign_fairseq.encoder.pretrained.huggingface.own_heads import own_head


@pytest.mark.parametrize(("kind", "changes"), [
    ("modernbert", {}), ("modernbert", {"classifier_bias": True, "norm_bias": True, "decoder_bias": False}),
    ("deberta-v2", {}), ("gte", {}),
])  # fmt: skip
def test_logits_are_those_of_transformers(tmp_path, kind, changes):
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
    """Whether the head that is read is the one made from the embeddings."""
    return torch.equal(read_model(folder)[0].lm_head.dense.weight, torch.eye(32))


def test_heads_of_another_form_are_left_out(tmp_path):
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


def test_an_output_map_of_its_own_is_no_head_of_ours():
    weights = {"model.embeddings.tok_embeddings.weight": torch.ones(5, 2), "head.dense.weight": torch.ones(2, 2)}
    weights |= {"head.norm.weight": torch.ones(2), "decoder.weight": torch.ones(5, 2)}
    found = own_head(weights, BODIES["modernbert"], {}, torch.arange(4))
    assert found is not None and found["encoder.lm_head.bias"].tolist() == [0] * 4
    assert own_head({**weights, "decoder.weight": torch.zeros(5, 2)}, BODIES["modernbert"], {}, torch.arange(4)) is None
