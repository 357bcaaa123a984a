"""Features: the last layer, or a mix of a frozen encoder's layers."""

import pytest
import torch

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.transfer.heads.features import Features


@pytest.fixture
def encoder():
    torch.manual_seed(1)
    sizes = {"encoder_layers": 2, "encoder_embed_dim": 8, "encoder_ffn_embed_dim": 12, "encoder_attention_heads": 2}
    return Encoder(EncoderConfig(vocab_size=20, max_positions=10, dropout=0.3, **sizes))


@pytest.fixture
def tokens():
    return torch.tensor([[0, 5, 6, 7, 8, 2], [0, 9, 2, 1, 1, 1]])


def test_by_default_the_last_layer_trains(encoder, tokens):
    features = Features(encoder.config, {})
    hidden = features(encoder.states(tokens), tokens)
    assert not features.frozen and not list(features.parameters())
    torch.testing.assert_close(hidden, encoder.states(tokens).layer(-1))
    hidden.sum().backward()
    assert encoder.sentence_encoder.embed_tokens.weight.grad is not None


def test_the_mix_by_its_equation(encoder, tokens):
    features = Features(encoder.config, {"feature_based": True, "extra_layers": 0})
    states = encoder.states(tokens)
    layers = [states.layer(k) for k in range(3)]
    torch.testing.assert_close(features(states, tokens), sum(layers) / 3)  # at first the mean
    with torch.no_grad():
        features.weights.copy_(torch.tensor([1.0, 2.0, 3.0]).log())
        features.gamma.fill_(12.0)
    torch.testing.assert_close(features(states, tokens), 2 * layers[0] + 4 * layers[1] + 6 * layers[2])


def test_the_encoder_stays_and_the_rest_trains(encoder, tokens):
    features = Features(encoder.config, {"feature_based": True})
    assert features.frozen and len(features.layers) == 4
    features(encoder.states(tokens), tokens).square().mean().backward()
    assert all(parameter.grad is None for parameter in encoder.parameters())
    assert all(parameter.grad is not None for parameter in features.parameters())


def test_padding_changes_nothing(encoder, tokens):
    features = Features(encoder.config, {"feature_based": True, "extra_layers": 2}).eval()
    together = features(encoder.states(tokens), tokens)
    alone = tokens[1:, :3]
    torch.testing.assert_close(features(encoder.states(alone), alone)[0], together[1, :3], rtol=1e-5, atol=1e-6)
    with torch.no_grad():  # where torch takes another path
        torch.testing.assert_close(features(encoder.states(tokens), tokens)[1, :3], together[1, :3])


def test_new_layers_have_the_encoders_dropout(encoder, tokens):
    features = Features(encoder.config, {"feature_based": True, "extra_layers": 1})
    first, second = (features(encoder.states(tokens), tokens) for _ in range(2))
    assert not first.allclose(second)
    features.eval()
    first, second = (features(encoder.states(tokens), tokens) for _ in range(2))
    torch.testing.assert_close(first, second)
