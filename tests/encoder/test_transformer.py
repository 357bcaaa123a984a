import copy
import weakref

import pytest
import torch
import torch.nn.functional as F

import xalign_fairseq
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


xalign_fairseq.register()

from xalign_fairseq.core.errors import XalignError  # noqa: E402
from xalign_fairseq.data.batches import Batch, collate  # noqa: E402
from xalign_fairseq.data.inputs import Input  # noqa: E402
from xalign_fairseq.data.samples import (  # noqa: E402
    MaskOptions,
    block_sample,
    pair_sample,
)
from xalign_fairseq.data.streams import Pair  # noqa: E402
from xalign_fairseq.models.xalign import XalignModel  # noqa: E402

SIZES = {
    "vocab_size": 60,
    "encoder_layers": 2,
    "encoder_embed_dim": 16,
    "encoder_ffn_embed_dim": 32,
    "encoder_attention_heads": 2,
}
SPEAKING = EncoderConfig(**SIZES, language_embeddings="bb,aa,cc")
TOKENS = torch.tensor([[0, 5, 6, 7, 2, 8, 9, 2], [0, 5, 2, 6, 2, 1, 1, 1]])


def encoder(config=SPEAKING, seed=0):
    torch.manual_seed(seed)
    return Encoder(config).double().eval()


def test_layer_zero_is_the_norm_of_three_embeddings():
    made = encoder()
    languages = torch.tensor([[0], [2]])
    parts = made.sentence_encoder
    found = made.states(Input(TOKENS, languages)).layer(0)
    for row, language in enumerate((0, 2)):
        for place in range(8):
            if TOKENS[row, place] == 1:
                assert not found[row, place].any()
                continue
            total = (
                parts.embed_tokens.weight[TOKENS[row, place]]
                + parts.embed_positions.weight[place + 2]
                + parts.embed_languages.weight[language]
            )
            torch.testing.assert_close(found[row, place], parts.layernorm_embedding(total))


def test_given_positions_replace_the_count():
    made = encoder(EncoderConfig(**SIZES))
    counted = torch.arange(8).expand(2, 8)
    assert torch.equal(made.states(Input(TOKENS, positions=counted)).layer(), made.states(TOKENS).layer())
    again = torch.tensor([[0, 1, 2, 3, 4, 1, 2, 3]]).expand(2, 8)
    assert not torch.equal(made.states(Input(TOKENS, positions=again)).layer(), made.states(TOKENS).layer())


def test_a_language_must_be_given_and_known():
    with pytest.raises(XalignError, match="language of a text is not given"):
        encoder().states(TOKENS).layer(0)
    assert SPEAKING.languages == ("bb", "aa", "cc") and SPEAKING.language_row("aa") == 1
    with pytest.raises(XalignError, match="bb, aa, cc"):
        SPEAKING.language_row("dd")
    with pytest.raises(XalignError, match="twice"):
        EncoderConfig(**SIZES, language_embeddings="aa,aa")


def batch():
    rng = __import__("numpy").random.default_rng(3)
    options = MaskOptions(mask=59, vocab=60, probability=0.5)
    pairs = [
        pair_sample(Pair(0, rng.integers(4, 58, n), rng.integers(4, 58, m), langs=langs), rng, options)
        for n, m, langs in ((3, 2, (0, 1)), (1, 4, (1, 0)))
    ]
    blocks = [block_sample(rng.integers(4, 58, 6), rng, options, lang=lang) for lang in (2, 0)]
    # numbers of the data (aa, bb, cc) -> rows of the encoder (bb, aa, cc)
    return Batch.from_sample(collate(pairs, blocks), torch.tensor([1, 0, 2]))


def test_tokens_of_a_pair_have_their_sides_language_and_reset_positions():
    bitext, mono = batch().bitext, batch().mono
    given = bitext.input("masked", reset_positions=True)
    assert given.tokens is bitext.masked
    assert given.languages.tolist() == [[1, 1, 1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1, 1]]
    assert given.positions.tolist() == [[0, 1, 2, 3, 4, 1, 2, 3], [0, 1, 2, 1, 2, 3, 4, 5]]
    assert bitext.side_input(1).languages.tolist() == [[0], [1]]
    assert mono.input().languages.tolist() == [[2], [1]]
    # A target word has the same embedding as in its side alone.
    made = encoder()
    read = bitext.input(reset_positions=True)
    joint, alone = made.states(read).layer(0), made.states(bitext.side_input(1)).layer(0)
    torch.testing.assert_close(joint[0, 5:7], alone[0, 1:3])


def test_language_embeddings_can_be_added_to_a_checkpoint(caplog):
    torch.manual_seed(0)
    plain, speaking = XalignModel(EncoderConfig(**SIZES)), XalignModel(SPEAKING)
    own = speaking.encoder.sentence_encoder.embed_languages.weight.detach().clone()
    speaking.load_state_dict(plain.state_dict())
    assert torch.equal(speaking.encoder.sentence_encoder.embed_languages.weight, own)
    assert "embed_languages" in caplog.text
    torch.testing.assert_close(
        speaking.encoder.sentence_encoder.embed_tokens.weight, plain.encoder.sentence_encoder.embed_tokens.weight
    )
