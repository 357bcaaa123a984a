import pytest
import torch

from xalign_fairseq.data.inputs import Input
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


@pytest.mark.parametrize("lengths", [None, (6, 3)])  # padded, and packed
def test_the_first_token_by_itself_has_the_states_and_the_gradient_of_the_whole_layer(encoder, tokens, lengths):
    encoder.double().eval()
    found = []
    for first in (False, True):
        encoder.zero_grad()
        hidden = Features(encoder.config, {}, first)(encoder.states(Input(tokens, lengths=lengths)), tokens)
        hidden[:, 0].sin().sum().backward()
        found.append((hidden[:, :1].detach(), [p.grad for p in encoder.sentence_encoder.parameters()]))
    torch.testing.assert_close(found[1], found[0], rtol=1e-12, atol=1e-14)


def test_the_last_layer_runs_only_for_the_first_token(encoder, tokens):
    ran = []
    encoder.sentence_encoder.layers[-1].fc1.register_forward_hook(
        lambda module, given, made: ran.append(made.shape[:-1])
    )
    states = encoder.states(Input(tokens, lengths=(6, 3)))
    assert Features(encoder.config, {}, first_alone=True)(states, tokens).shape == (2, 1, 8)
    assert Features(encoder.config, {})(encoder.states(Input(tokens, lengths=(6, 3))), tokens).shape == (2, 6, 8)
    assert ran == [(2,), (9,)]


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
    with torch.no_grad():  # torch takes another path here
        torch.testing.assert_close(features(encoder.states(tokens), tokens)[1, :3], together[1, :3])
