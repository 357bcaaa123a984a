import copy

import pytest
import torch
import torch.nn.functional as F

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder, EncoderLayer, attend, attend_by_products
from xalign_fairseq.errors import XalignError


@pytest.fixture
def encoder(roberta):
    model, args = roberta
    ours, heads = checkpoint.load_encoder({"args": args, "model": model.state_dict()})
    assert not heads
    return ours


def cast(model, dtype):
    """A copy of fairseq's model in a dtype; its gelu would go through float32 whatever the dtype."""
    model = copy.deepcopy(model).to(dtype)
    for module in model.modules():
        if hasattr(module, "activation_fn"):
            module.activation_fn = torch.nn.functional.gelu
    return model


def test_the_device_is_where_the_weights_are(encoder):
    assert encoder.device == torch.device("cpu")
    assert encoder.to("meta").device == torch.device("meta")


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
    found = encoder.lm_head(states.layer(-1)[keep])
    torch.testing.assert_close(found, logits[keep], rtol=tolerance, atol=tolerance)


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


def test_padding_and_batch_never_change_a_state(encoder, tokens):
    encoder.double()
    together = encoder.states(tokens).layer(-1)
    order = torch.tensor([3, 0, 4, 2, 1])
    shuffled = encoder.states(tokens[order]).layer(-1)
    for row, length in enumerate(tokens.ne(1).sum(1).tolist()):
        alone = encoder.states(tokens[row : row + 1, :length]).layer(-1)[0]
        torch.testing.assert_close(together[row, :length], alone, rtol=1e-12, atol=1e-12)
        place = order.tolist().index(row)
        torch.testing.assert_close(shuffled[place, :length], alone, rtol=1e-12, atol=1e-12)


def attended(by, given, padding, dtype):
    """Mixed values at unpadded positions, and the gradients of queries, keys and values."""
    q, k, v = (each.detach().to(dtype).requires_grad_() for each in given)
    mixed = by(q, k, v, padding, 0.0).masked_fill(padding[:, None, :, None], 0)
    mixed.square().sum().backward()
    return [each.double() for each in (mixed.detach(), q.grad, k.grad, v.grad)]


def test_attention_by_products_is_attention():
    given = torch.randn(3, 3, 2, 9, 4, dtype=torch.float64)
    padding = torch.arange(9) >= torch.tensor([[9], [5], [1]])
    truth = attended(attend, given, padding, torch.float64)
    for found, expected in zip(attended(attend_by_products, given, padding, torch.float64), truth, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    none = attend_by_products(*given, None, 0.0)
    torch.testing.assert_close(none, attend(*given, None, 0.0), rtol=1e-12, atol=1e-12)
    # Bfloat16 on a CPU takes it, and is as near to the truth as torch's own.
    taken = attended(attend, given, padding, torch.bfloat16)
    assert all(map(torch.equal, taken, attended(attend_by_products, given, padding, torch.bfloat16)))
    own = attended(
        lambda q, k, v, padding, _: F.scaled_dot_product_attention(q, k, v, ~padding[:, None, None]),
        given, padding, torch.bfloat16,
    )  # fmt: skip
    for found, other, expected in zip(taken, own, truth, strict=True):
        assert (found - expected).abs().max() <= 1.5 * (other - expected).abs().max() + 0.01
    # A sequence of padding alone harms nobody.
    assert all(each.isfinite().all() for each in attended(attend, given, padding | True, torch.bfloat16))


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


def test_a_pass_runs_no_later_layer_and_none_twice(encoder, tokens, monkeypatch):
    ran = []
    forward = EncoderLayer.forward

    def counted(self, *arguments):
        ran.append(list(encoder.sentence_encoder.layers).index(self))
        return forward(self, *arguments)

    monkeypatch.setattr(EncoderLayer, "forward", counted)
    states = encoder.states(tokens)
    assert ran == []
    states.layer(0)
    assert ran == []
    second = states.layer(2)
    assert ran == [0, 1]
    states.layer(1)
    assert states.layer(-2) is second
    assert ran == [0, 1]
    states.layer(-1)
    assert ran == [0, 1, 2]


def test_dropout_only_in_training_passes_and_no_gradient_where_none_is_wanted(tokens):
    config = EncoderConfig(
        vocab_size=40, encoder_layers=2, encoder_embed_dim=8, encoder_ffn_embed_dim=16, encoder_attention_heads=2,
        dropout=0.5, attention_dropout=0.5, activation_dropout=0.5,
    )  # fmt: skip
    encoder = Encoder(config)
    plain = encoder.states(tokens, training=False, grad=False).layer()
    assert not plain.requires_grad
    assert torch.equal(plain, encoder.states(tokens, training=False).layer())
    trained = encoder.states(tokens, training=True).layer()
    assert trained.requires_grad
    assert not torch.allclose(plain, trained)


def test_the_output_map_is_tied_to_the_embeddings(encoder):
    assert encoder.lm_head.weight is encoder.sentence_encoder.embed_tokens.weight
    encoder.double()
    assert encoder.lm_head.weight is encoder.sentence_encoder.embed_tokens.weight


def test_a_sequence_beyond_the_positions_is_an_error(encoder):
    tokens = torch.full((1, 21), 5)
    with pytest.raises(XalignError, match=r"21 tokens[\s\S]*at most 20"):
        encoder.states(tokens).layer(0)


def test_initialisation_is_berts():
    torch.manual_seed(0)
    encoder = Encoder(EncoderConfig(vocab_size=500, encoder_layers=1, encoder_embed_dim=64, encoder_attention_heads=4))
    layer = encoder.sentence_encoder.layers[0]
    assert layer.fc1.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert encoder.sentence_encoder.embed_tokens.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert layer.self_attn.q_proj.bias.abs().max() == 0
    assert encoder.sentence_encoder.embed_tokens.weight[1].abs().max() == 0
    assert encoder.sentence_encoder.embed_positions.weight[1].abs().max() == 0
