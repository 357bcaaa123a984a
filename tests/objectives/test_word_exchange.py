"""WEAM's cross-lingual prediction against plain loops, its ways of reading links, and what it must not depend on."""

import math

import numpy as np
import pytest
import torch

import xalign_fairseq
from xalign_fairseq.data.batches import Batch, collate
from xalign_fairseq.data.masking import MaskOptions
from xalign_fairseq.data.samples import PAD, GoldLinks, pair_sample
from xalign_fairseq.data.streams import Pair
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.errors import XalignError
from xalign_fairseq.transport.labels import pair_links

xalign_fairseq.register()

from xalign_fairseq.criterions.presets import CLASSES  # noqa: E402
from xalign_fairseq.encoder.model import XalignModel  # noqa: E402
from xalign_fairseq.objectives.word_exchange import WordExchange, WordExchangeConfig  # noqa: E402

CONFIG = EncoderConfig(
    vocab_size=60, encoder_layers=2, encoder_embed_dim=16, encoder_ffn_embed_dim=32, encoder_attention_heads=2
)
MASK = MaskOptions(mask=59, vocab=60, probability=0.5)
# Two source words of 2 and 1 tokens, two target words of 1 and 3; positions <s> 1 2 3 </s> 5 6 7 8 </s>.
WORDS = (np.array([0, 0, 1]), np.array([0, 1, 1, 1]))
UNALIGNED = ("exclude", "zero", "identity")


def sample(src_words, tgt_words, links, seed=0):
    """A pair whose words have the given tokens; links are (i, j) of words, None for a pair without a links file."""
    rng = np.random.default_rng((seed, len(src_words), len(tgt_words)))
    pair = Pair(0, rng.integers(4, 58, len(src_words)), rng.integers(4, 58, len(tgt_words)))
    made = pair_sample(pair, rng, MASK)
    if links is not None:
        triples = np.array([[i, j, 1] for i, j in links], dtype=np.int64).reshape(-1, 3)
        made.gold = GoldLinks(np.asarray(src_words), np.asarray(tgt_words), triples)
        made.partner = np.full(len(made.tokens), -1)
    return made


def samples():
    """Ragged pairs: many-to-many links, none at all, no links file, one word each."""
    return [
        sample(*WORDS, [(0, 1), (1, 0), (1, 1)]),
        sample([0, 1, 2, 3, 3, 4], [0, 0, 1, 2, 3], [(0, 2), (3, 1), (4, 0), (4, 3)]),
        sample([0, 1], [0, 1, 2, 3, 4, 5, 6], []),
        sample([0, 1, 2], [0, 1], None),
        sample([0], [0], [(0, 0)]),
    ]


def batch(pairs=None):
    return Batch.from_sample(collate(samples() if pairs is None else pairs, []))


def build(**options):
    torch.manual_seed(0)
    objective = WordExchange(WordExchangeConfig(**options))
    objective.prepare(CONFIG)
    encoder = Encoder(CONFIG).double()
    head = objective.build_head(CONFIG).double()
    with torch.no_grad():  # away from the start, so that every map and bias counts
        for parameter in (*head.parameters(), *encoder.lm_head.parameters()):
            parameter += 0.3 * torch.randn_like(parameter)
    heads = torch.nn.ModuleDict({"word_exchange": head})
    return objective, encoder, heads


def run(data, objective, encoder, heads, training=True):
    return objective.forward(objective.step(StepEncoder(encoder, heads, training, 5), data))


def token_links(rule, src_words, tgt_words, links):
    """Links between positions of one pair sequence."""
    n = len(src_words)
    made = set()
    for i, j in links:
        left = [1 + k for k, word in enumerate(src_words) if word == i]
        right = [2 + n + k for k, word in enumerate(tgt_words) if word == j]
        made |= {
            "first": {(left[0], right[0])},
            "all": {(a, b) for a in left for b in right},
            "k-to-k": set(zip(left, right, strict=False)),
        }[rule]
    return made


def gelu(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def linear(weight, bias, x):
    rows = zip(weight.tolist(), bias.tolist(), strict=True)
    return [sum(w * v for w, v in zip(row, x, strict=True)) + b for row, b in rows]


def layer_norm(module, x):
    mean = sum(x) / len(x)
    variance = sum((v - mean) ** 2 for v in x) / len(x)
    scaled = [(v - mean) / math.sqrt(variance + module.eps) for v in x]
    return [w * v + b for w, v, b in zip(module.weight.tolist(), scaled, module.bias.tolist(), strict=True)]


def restatement(bitext, links_of_pairs, encoder, head, options):
    """Eqs. 5 to 8 and 10 in plain loops: the loss, and how many tokens are predicted, correct, linked."""
    hidden = encoder.states(bitext.masked).layer(-1).tolist()
    lm = encoder.lm_head
    last = lm if options["heads"] == "shared" else head
    total, count, correct, linked = 0.0, 0, 0, 0
    for b, links in enumerate(links_of_pairs):
        for i in range(bitext.tokens.shape[1]):
            target = int(bitext.targets[b, i])
            if target == PAD:
                continue
            partners = [hidden[b][j] for a, j in links if a == i] + [hidden[b][a] for a, j in links if j == i]
            linked += bool(partners)
            if not partners and options["unaligned"] == "exclude":
                continue
            exchanged = [sum(values) for values in zip(*partners, strict=True)] if partners else [0.0] * 16
            if partners and options["many"] == "mean":
                exchanged = [value / len(partners) for value in exchanged]
            if not partners and options["unaligned"] == "identity":
                exchanged = hidden[b][i]
            features = linear(head.exchanged.weight, head.exchanged.bias, exchanged)
            features = [gelu(value) for value in linear(last.dense.weight, last.dense.bias, features)]
            logits = linear(lm.weight, lm.bias, layer_norm(last.layer_norm, features))
            total -= logits[target] - math.log(sum(math.exp(value) for value in logits))
            count += 1
            correct += int(np.argmax(logits)) == target
    return total, count, correct, linked


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("first", {(1, 6), (3, 5), (3, 6)}),
        ("all", {(1, 6), (1, 7), (1, 8), (2, 6), (2, 7), (2, 8), (3, 5), (3, 6), (3, 7), (3, 8)}),
        ("k-to-k", {(1, 6), (2, 7), (3, 5), (3, 6)}),
    ],
)
def test_prepared_links_are_expanded_to_tokens(rule, expected):
    objective, encoder, heads = build(subwords=rule)
    found = objective._links(objective.step(StepEncoder(encoder, heads, True, 5), batch(samples()[:1])))
    assert {(i, j) for _, i, j in found.tolist()} == expected and len(found) == len(expected)
    assert token_links(rule, *WORDS, [(0, 1), (1, 0), (1, 1)]) == expected  # the tests' own expansion


@pytest.mark.parametrize("heads", ["separate", "shared"])
@pytest.mark.parametrize("unaligned", UNALIGNED)
@pytest.mark.parametrize(("many", "subwords"), [("sum", "all"), ("mean", "all"), ("sum", "first"), ("mean", "k-to-k")])
def test_loss_equals_the_equations(heads, unaligned, many, subwords):
    options = {"heads": heads, "unaligned": unaligned, "many": many, "subwords": subwords}
    objective, encoder, modules = build(**options)
    data = batch()
    loss = run(data, objective, encoder, modules)
    links = [
        token_links(subwords, gold.src_words, gold.tgt_words, gold.links[:, :2].tolist()) if gold else set()
        for gold in data.bitext.gold
    ]
    total, count, correct, linked = restatement(data.bitext, links, encoder, modules["word_exchange"], options)
    assert loss.total.item() == pytest.approx(total, rel=1e-9) and total > 0
    assert int(loss.count) == count
    assert [int(each) for each in loss.stats["accuracy"]] == [correct, count]
    masked = int((data.bitext.targets != PAD).sum())
    assert [int(each) for each in loss.stats["masked_with_partner"]] == [linked, masked]
    assert linked < masked and count == (linked if unaligned == "exclude" else masked)


def test_zero_predicts_an_unlinked_token_from_the_bias_alone():
    objective, encoder, heads = build(unaligned="zero")
    head = heads["word_exchange"]
    data = batch([sample([0, 1, 2], [0, 1], [])])
    features = torch.nn.functional.gelu(head.dense(head.exchanged.bias))
    logits = encoder.lm_head.weight @ head.layer_norm(features) + encoder.lm_head.bias
    targets = data.bitext.targets[data.bitext.targets != PAD]
    expected = -logits.log_softmax(0)[targets].sum()
    assert len(targets) > 0
    assert run(data, objective, encoder, heads).total.item() == pytest.approx(expected.item(), rel=1e-12)


class GivenStates(StepEncoder):
    """A step whose every pass has these hidden states."""

    def __init__(self, hidden, encoder, heads):
        super().__init__(encoder, heads, True, 5)
        self.hidden = hidden

    def states(self, tokens, *, labelling=False):
        return self

    def layer(self, layer):
        return self.hidden


@pytest.mark.parametrize("options", [{}, {"heads": "shared", "many": "mean", "unaligned": "identity"}])
def test_gradient(options):
    objective, encoder, heads = build(**options)
    data = batch(samples()[:1])
    hidden = torch.randn(*data.bitext.tokens.shape, 16, dtype=torch.float64, requires_grad=True)
    inputs = (hidden, heads["word_exchange"].exchanged.weight, encoder.lm_head.bias)
    # gradcheck changes its inputs in place, so that the parameters need not be passed on.
    step = GivenStates(hidden, encoder, heads)
    assert torch.autograd.gradcheck(lambda *_: objective.forward(objective.step(step, data)).total, inputs)


@pytest.mark.parametrize("unaligned", UNALIGNED)
def test_padding_and_order_of_the_batch_change_nothing(unaligned):
    def outcome(pairs):
        objective, encoder, heads = build(unaligned=unaligned)
        loss = run(batch(pairs), objective, encoder, heads)
        loss.total.backward()
        parameters = [*heads.parameters(), *encoder.parameters()]
        gradient = torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in parameters])
        return loss.total.detach(), loss.count, gradient

    whole, backwards = outcome(samples()), outcome(samples()[::-1])
    alone = [outcome([pair]) for pair in samples()]  # without padding
    for k, expected in enumerate(whole):
        assert torch.allclose(backwards[k].double(), expected.double(), rtol=1e-10, atol=1e-12)
        assert torch.allclose(sum(each[k] for each in alone).double(), expected.double(), rtol=1e-10, atol=1e-12)
    assert whole[0] > 0


@pytest.mark.parametrize("options", [{"heads": heads} for heads in ("separate", "shared")])
@pytest.mark.parametrize("pairs", [[sample([0, 1], [0, 1], [])], [sample([0, 1], [0], None)], [sample([], [], None)]])
def test_without_a_link_the_loss_is_a_zero_that_reaches_the_head(options, pairs):
    objective, encoder, heads = build(**options)
    loss = run(batch(pairs), objective, encoder, heads)
    loss.total.backward()
    assert loss.total == 0 and loss.count == 0 and loss.stats["masked_with_partner"][0] == 0
    assert all(p.grad is not None and (p.grad == 0).all() for p in heads.parameters())


def test_self_labels_are_the_links_of_the_unperturbed_pair():
    objective, encoder, heads = build(links="self", label_layer=1)
    bitext = batch([sample(*WORDS, None), sample([0], [0, 1, 2], None), sample([], [0, 1], None)]).bitext
    found = objective._links(objective.step(StepEncoder(encoder, heads, True, 5), Batch(bitext)))
    links, _ = pair_links(encoder.states(bitext.tokens).layer(1), bitext.spans)
    expected = {
        (row, int(bitext.spans[row, 0]) + i, int(bitext.spans[row, 2]) + j) for row, i, j in links.nonzero().tolist()
    }
    assert {tuple(link) for link in found.tolist()} == expected
    assert len(found) == len(expected) > 3
    assert not any((bitext.tokens[row, [i, j]] < 4).any() for row, i, j in expected)  # no special token


def test_self_labelling_needs_no_prepared_links_and_has_no_gradient():
    objective, encoder, heads = build(links="self", label_layer=1)
    assert objective.needs == ("bitext",) and build()[0].needs == ("bitext", "links")
    ran = []
    for number, layer in enumerate(encoder.sentence_encoder.layers, 1):
        layer.register_forward_hook(lambda *_, n=number: ran.append((n, torch.is_grad_enabled())))
    loss = run(batch([sample(*WORDS, None)]), objective, encoder, heads)
    assert sorted(ran) == [(1, False), (1, True), (2, True)] and loss.count > 0


def test_the_pass_is_tlms():
    model = XalignModel(CONFIG)
    criterion = preset("tlm,word_exchange")
    criterion.attach_heads(model)
    passes = []
    model.encoder.sentence_encoder.layers[0].register_forward_hook(lambda *_: passes.append(1))
    criterion(model, collate(samples(), []))
    assert len(passes) == 1


def preset(objectives, **options):
    cls = CLASSES["word_exchange"]
    cfg = cls.__dataclass()
    cfg.objectives = objectives
    for name, value in options.items():
        setattr(cfg, f"word_exchange_{name}", value)
    task = type("Task", (), {"pair_names": ["aa-bb"], "languages": ("aa", "bb"), "pivot": None, "seed": 1})()
    task.has_master_weights = False
    return cls.build_criterion(cfg, task)


@pytest.mark.parametrize("objectives", ["word_exchange", "tlm,word_exchange"])
@pytest.mark.parametrize("heads", ["separate", "shared"])
def test_every_trainable_parameter_gets_a_gradient(objectives, heads):
    model, criterion = XalignModel(CONFIG), preset(objectives, heads=heads)
    criterion.attach_heads(model)
    criterion(model, collate(samples(), []))[0].backward()
    assert [name for name, p in model.named_parameters() if p.requires_grad and p.grad is None] == []
    # Nobody trains the MLM head where neither TLM nor the shared head uses it.
    assert model.encoder.lm_head.dense.weight.requires_grad == (objectives != "word_exchange" or heads == "shared")


def test_training_begins_with_the_plain_exchange():
    head = WordExchange(WordExchangeConfig()).build_head(CONFIG)
    states = torch.randn(3, 16)
    assert torch.equal(head.exchanged(states), states)
    assert 0.01 < head.dense.weight.std() < 0.03


@pytest.mark.parametrize("option", ["links", "subwords", "unaligned", "many", "heads"])
def test_an_unknown_value_is_named(option):
    with pytest.raises(XalignError, match=f"--word-exchange-{option}"):
        WordExchange(WordExchangeConfig(**{option: "some"}))


def test_a_layer_that_is_not_there_is_named():
    with pytest.raises(XalignError, match="--word-exchange-label-layer"):
        build(label_layer=3)
