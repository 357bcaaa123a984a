import copy
import weakref

import pytest
import torch
import torch.nn.functional as F

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder, map_gelu
from xalign_fairseq.transport.ops import products
from xalign_fairseq.transport.ops.products import Linear


def cast(model, dtype):
    """A copy of fairseq's model in a dtype; its gelu would use float32 in any dtype."""
    model = copy.deepcopy(model).to(dtype)
    for module in model.modules():
        if hasattr(module, "activation_fn"):
            module.activation_fn = torch.nn.functional.gelu
    return model


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 2e-5)])
def test_hidden_states_and_logits_equal_fairseqs_roberta(roberta, encoder, tokens, dtype, tolerance):
    theirs = cast(roberta[0], dtype)
    encoder.to(dtype)
    keep = tokens.ne(1)
    logits, extra = theirs(tokens, return_all_hiddens=True)
    states = encoder.states(tokens)
    assert len(extra["inner_states"]) == 4
    for layer, expected in enumerate(extra["inner_states"]):
        torch.testing.assert_close(
            states.layer(layer)[keep], expected.transpose(0, 1)[keep], rtol=tolerance, atol=tolerance
        )
    torch.testing.assert_close(encoder.lm_head(states.layer(-1)[keep]), logits[keep], rtol=tolerance, atol=tolerance)


def test_gradients_equal_fairseqs_roberta(roberta, encoder, tokens):
    theirs = cast(roberta[0], torch.float64)
    encoder.double()
    keep = tokens.ne(1)
    theirs(tokens)[0][keep].logsumexp(-1).sum().backward()
    encoder.lm_head(encoder.states(tokens).layer(-1)[keep]).logsumexp(-1).sum().backward()
    expected = dict(theirs.encoder.named_parameters())
    for name, parameter in encoder.named_parameters():
        torch.testing.assert_close(
            parameter.grad, expected[name].grad, rtol=1e-9, atol=1e-9, msg=lambda text, name=name: f"{name}: {text}"
        )


def test_dropout_draws_the_same_for_the_same_seed_and_drops_at_its_rate():
    encoder = Encoder(EncoderConfig(40, 1, 64, 64, 2, dropout=0.3)).double()
    tokens = torch.randint(3, 40, (20, 30))
    tokens[::2, 20:] = 1
    runs = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        runs.append(encoder.states(tokens, training=True).layer(0))
    assert torch.equal(runs[0], runs[1]) and not torch.equal(runs[0], runs[2])
    assert (runs[0][tokens.ne(1)] == 0).double().mean().item() == pytest.approx(0.3, abs=0.01)


def test_padding_takes_no_position_and_positions_run_on_over_the_inner_separator(encoder):
    embeddings = encoder.sentence_encoder
    real = torch.tensor([[0, 5, 2, 6, 2]])
    expected = embeddings.layernorm_embedding(
        embeddings.embed_tokens(real) + embeddings.embed_positions(torch.tensor([[2, 3, 4, 5, 6]]))
    )
    for tokens in ([0, 5, 2, 6, 2, 1], [1, 0, 5, 2, 6, 2], [0, 5, 1, 1, 2, 6, 1, 2]):
        tokens = torch.tensor([tokens])
        found = encoder.states(tokens).layer(0)
        torch.testing.assert_close(found[tokens.ne(1)], expected[0])
        assert found[tokens.eq(1)].abs().max() == 0


def test_initialisation_is_berts():
    torch.manual_seed(0)
    encoder = Encoder(EncoderConfig(vocab_size=500, encoder_layers=1, encoder_embed_dim=64, encoder_attention_heads=4))
    layer = encoder.sentence_encoder.layers[0]
    assert layer.fc1.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert encoder.sentence_encoder.embed_tokens.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert layer.self_attn.q_proj.bias.abs().max() == 0
    assert encoder.sentence_encoder.embed_tokens.weight[1].abs().max() == 0
    assert encoder.sentence_encoder.embed_positions.weight[1].abs().max() == 0
    assert encoder.lm_head.weight is encoder.double().sentence_encoder.embed_tokens.weight
    assert encoder.device == torch.device("cpu") and encoder.to("meta").device == torch.device("meta")


@pytest.mark.parametrize("kind", ["attention_dropout", "activation_dropout"])
def test_attention_and_activation_dropout_apply_only_in_training(kind):
    rates = {"dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0, kind: 0.5}
    encoder, tokens = Encoder(EncoderConfig(40, 1, 16, 32, 2, **rates)).double(), torch.randint(3, 40, (4, 10))
    dropped, once, again = (encoder.states(tokens, training=training).layer(1) for training in (True, False, False))
    assert torch.equal(once, again) and not torch.allclose(dropped, once)


def test_both_sublayers_apply_dropout_before_the_residual():
    rates = {"dropout": 0.5, "attention_dropout": 0.0, "activation_dropout": 0.0}
    layer = Encoder(EncoderConfig(40, 1, 16, 32, 2, **rates)).double().sentence_encoder.layers[0]
    x, attended = torch.randn(2, 30, 16, dtype=torch.float64)

    def drops(given):
        return not torch.allclose(layer.rest(x, given, True), layer.rest(x, given, False))

    assert drops(torch.zeros_like(x))  # of the feed-forward layer's output
    torch.nn.init.zeros_(layer.fc2.weight)
    assert drops(attended) and not drops(torch.zeros_like(x))


@pytest.mark.parametrize("shape", [(5, 6), (2, 3, 6)])
def test_a_map_of_gelu_has_its_gradients_of_both_orders(shape):
    torch.manual_seed(0)
    x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    linear_map = Linear(6, 4).double()
    parameters = list(linear_map.parameters())

    def made(x, *_):
        return map_gelu(linear_map, x)

    assert torch.equal(made(x), linear_map(F.gelu(x)))
    assert torch.autograd.gradcheck(made, (x, *parameters))
    assert torch.autograd.gradgradcheck(made, (x, *parameters))


@pytest.mark.parametrize("library", ["torch", "onednn"])
def test_a_map_of_gelu_does_not_keep_gelus_value(library, monkeypatch):
    values, gelu = [], F.gelu
    monkeypatch.setattr(F, "gelu", lambda x: (made := gelu(x), values.append(weakref.ref(made)))[0])
    monkeypatch.setattr(products, "SMALLEST", 0)
    x = torch.randn(5, 6, requires_grad=True)
    monkeypatch.setattr(products, "chosen", lambda: products.Libraries(library, library, ""))
    made = map_gelu(Linear(6, 4), x)
    assert [value() for value in values] == [None]
    made.sum().backward()
    assert len(values) == 2
