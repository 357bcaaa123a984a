"""mT5's encoder: transformers' states, and heads that do not divide the hidden size."""

import torch
from support.body_folders import assert_same_states, ragged_tokens


def test_states_are_those_of_transformers(tmp_path):
    encoder = assert_same_states(tmp_path, "mt5")
    assert encoder.config.encoder_embed_dim % encoder.config.encoder_attention_heads
    assert encoder.config.max_positions == 1024


def test_the_bias_of_places_learns_through_every_layer(tmp_path):
    encoder = assert_same_states(tmp_path, "mt5")
    bias = encoder.sentence_encoder.layers[0].inner.layer[0].SelfAttention.relative_attention_bias.weight
    tokens = ragged_tokens(encoder)
    once, all_layers = (
        torch.autograd.grad(encoder.states(tokens).layer(layer).square().sum(), bias)[0] for layer in (1, 3)
    )
    assert once.abs().sum() > 0 and not torch.allclose(once, all_layers)


def test_dropout_follows_the_final_norm(tmp_path):
    encoder = assert_same_states(tmp_path, "mt5")
    encoder.sentence_encoder.rest.dropout.p = 0.5
    for layer in encoder.sentence_encoder.layers:
        layer.run = lambda x, _, __, training, layer=layer: x if layer.final is None else layer._finish(x, training)
    tokens = ragged_tokens(encoder, (9,))
    states = encoder.states(tokens, training=True, grad=False)
    assert (states.layer(3) == 0).sum() > (states.layer(2) == 0).sum()
