import math

import numpy as np
import pytest
import torch

import xalign_fairseq
from xalign_fairseq.data.batches import Batch, collate
from xalign_fairseq.data.masking import MaskOptions
from xalign_fairseq.data.samples import GoldLinks, pair_sample
from xalign_fairseq.data.streams import Pair
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.errors import XalignError
from xalign_fairseq.transport.labels import self_label
from xalign_fairseq.transport.methods import Dustbin, Transport
from xalign_fairseq.transport.pointer import Pointer

xalign_fairseq.register()

from xalign_fairseq.objectives.dwa import DenoisingWordAlignment, DwaConfig, labelling_method  # noqa: E402
from xalign_fairseq.objectives.step import Step  # noqa: E402

CONFIG = EncoderConfig(
    vocab_size=60, encoder_layers=2, encoder_embed_dim=16, encoder_ffn_embed_dim=32, encoder_attention_heads=2
)
MASK = MaskOptions(mask=59, vocab=60, probability=0.4)


def batch(lengths=((5, 7), (3, 2), (6, 6)), linked=False):
    rng = np.random.default_rng(0)
    samples = []
    for n, m in lengths:
        pair = Pair(0, rng.integers(4, 58, n), rng.integers(4, 58, m))
        sample = pair_sample(pair, rng, MASK)
        if linked:
            sample.gold = GoldLinks(np.arange(n), np.arange(m), np.array([[0, 0, 1]]))
            sample.partner = np.full(n + m + 3, -1)
            sample.partner[1], sample.partner[2 + n] = 2 + n, 1
        samples.append(sample)
    return Batch.from_sample(collate(samples, []))


def build(cfg=None, training=True, dtype=torch.float64):
    torch.manual_seed(0)
    objective = DenoisingWordAlignment(cfg or DwaConfig())
    objective.prepare(CONFIG)
    encoder = Encoder(CONFIG).to(dtype)
    heads = torch.nn.ModuleDict({"dwa": objective.build_head(CONFIG).to(dtype)})
    return objective, encoder, heads, lambda update=5: StepEncoder(encoder, heads, training, update)


def restatement(pointer, hidden, spans, queries, labels):
    """Eq. 11 to 15 in plain loops."""
    total, correct = 0.0, 0
    for b in range(len(hidden)):
        s0, s1, t0, t1 = spans[b].tolist()
        for i in range(hidden.shape[1]):
            if not queries[b, i]:
                continue
            keys = range(t0, t1) if s0 <= i < s1 else range(s0, s1)
            q = pointer.query.weight @ hidden[b, i] + pointer.query.bias
            scores = [
                float(q @ (pointer.key.weight @ hidden[b, j] + pointer.key.bias)) / math.sqrt(hidden.shape[2])
                for j in keys
            ]
            norm = math.log(sum(math.exp(s) for s in scores))
            total -= scores[list(keys).index(int(labels[b, i]))] - norm
            correct += list(keys)[int(np.argmax(scores))] == int(labels[b, i])
    return total, correct


def test_pointer_loss_equals_the_equations():
    torch.manual_seed(1)
    bitext = batch().bitext
    hidden = torch.randn(*bitext.tokens.shape, 16, dtype=torch.float64)
    pointer = Pointer(16).double()
    for map_ in (pointer.query, pointer.key):
        torch.nn.init.normal_(map_.weight), torch.nn.init.normal_(map_.bias)
    labels = torch.full_like(bitext.tokens, -1)
    for b, (s0, s1, t0, t1) in enumerate(bitext.spans.tolist()):
        for i in range(s0, s1):
            labels[b, i] = t0 + (i * 7) % (t1 - t0)
        labels[b, t0] = s1 - 1
    queries = (labels >= 0) & (bitext.draw < 0.7)
    total, correct = pointer.loss(hidden, bitext.spans, queries, labels)
    expected, expected_correct = restatement(pointer, hidden, bitext.spans, queries, labels)
    assert queries.sum() > 8
    assert total.item() == pytest.approx(expected, rel=1e-10)
    assert correct.item() == expected_correct


def test_pointer_without_a_query_still_has_a_zero_gradient():
    pointer = Pointer(16)
    hidden = torch.randn(2, 7, 16, requires_grad=True)
    spans = torch.tensor([[1, 3, 4, 6], [1, 2, 3, 6]])
    nothing = torch.zeros(2, 7, dtype=torch.bool)
    total, correct = pointer.loss(hidden, spans, nothing, torch.full((2, 7), -1))
    total.backward()
    assert total == 0 and correct == 0
    assert all(p.grad is not None and (p.grad == 0).all() for p in pointer.parameters())


def test_pointer_gradient():
    torch.manual_seed(0)
    pointer = Pointer(4).double()
    spans, labels = torch.tensor([[1, 3, 4, 6]]), torch.tensor([[-1, 5, 4, -1, 2, -1, -1]])
    hidden = torch.randn(1, 7, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda h: pointer.loss(h, spans, labels >= 0, labels)[0], hidden)


def test_padding_changes_neither_loss_nor_gradient():
    gradients, losses = [], []
    for lengths in (((5, 7),), ((5, 7), (20, 20))):
        objective, encoder, heads, step = build()
        data = batch(lengths)
        if len(lengths) == 2:  # silence the second pair: only its padding effect on the first is left
            data.bitext.targets[1] = 1
        loss = objective.forward(objective.step(step(), data))
        loss.total.backward()
        losses.append(loss.total.item())
        gradients.append(
            torch.cat([p.grad.flatten() for p in [*heads.parameters(), *encoder.parameters()] if p.grad is not None])
        )
    assert losses[0] == pytest.approx(losses[1], rel=1e-12) and losses[0] > 0
    assert torch.allclose(gradients[0], gradients[1], atol=1e-12)


def test_query_positions():
    data = batch()
    masked = data.bitext.targets != 1
    labels = torch.full_like(data.bitext.tokens, -1)
    for b, (s0, s1, t0, t1) in enumerate(data.bitext.spans.tolist()):
        for i, j in zip(range(s0, s1), range(t0, t1), strict=False):
            labels[b, i], labels[b, j] = j, i
    queries = {
        name: build(DwaConfig(queries=name, unmasked_prob=0.5))[0]._queries(data.bitext, labels)
        for name in ("masked", "unmasked", "all-aligned")
    }
    linked = labels >= 0
    assert (queries["masked"] == (linked & masked)).all()
    assert (queries["unmasked"] & (masked | ~linked)).sum() == 0 and queries["unmasked"].any()
    # exactly one token of each one-to-one pair asks
    both = queries["all-aligned"] & queries["all-aligned"].gather(1, labels.clamp(min=0)) & linked
    assert queries["all-aligned"].sum() * 2 == linked.sum() and not both.any()


@pytest.mark.parametrize("queries", ["masked", "unmasked", "all-aligned"])
def test_the_bound_on_queries_loses_none_and_keeps_the_softmax_to_them(queries, monkeypatch):
    objective, _, heads, step = build(DwaConfig(queries=queries, filter="union"))
    data, shapes = batch(((20, 30), (25, 24), (3, 4))), []
    computed = Pointer.log_probabilities
    monkeypatch.setattr(
        Pointer, "log_probabilities", lambda self, *given: shapes.append(given[2].shape) or computed(self, *given)
    )
    labels, _ = objective._labels(objective.step(step(5), data))
    asked = objective._queries(data.bitext, labels)
    hidden = step().states(data.bitext.input("masked")).layer(-1)
    whole, _ = heads["dwa"].pointer.loss(hidden, data.bitext.spans, asked, labels)
    loss = objective.forward(objective.step(step(), data))
    assert loss.count == asked.sum() > 0 and loss.total.item() == pytest.approx(whole.item(), rel=1e-12)
    most = shapes[-1][1]
    assert most >= asked.sum(1).max()
    if queries != "all-aligned":
        assert most <= 0.7 * data.bitext.tokens.shape[1]


def test_before_the_start_update_nothing_is_labelled():
    objective, _, _, step = build(DwaConfig(start_update=3))
    early, late = (objective.forward(objective.step(step(n), batch())) for n in (2, 3))
    assert early.count == 0 and early.total == 0 and late.count > 0


def test_labels_come_from_the_clean_pair_without_gradient_and_stop_at_the_layer():
    objective, encoder, heads, _ = build(DwaConfig(label_layer=1))
    ran = []
    for number, layer in enumerate(encoder.sentence_encoder.layers, 1):
        layer.register_forward_hook(lambda *_, n=number: ran.append((n, torch.is_grad_enabled())))
    objective.forward(objective.step(StepEncoder(encoder, heads, True, 5), batch()))
    assert sorted(ran) == [(1, False), (1, True), (2, True)]


def test_given_links_are_used_until_the_update_and_own_labels_after_it():
    objective, _, _heads, step = build(DwaConfig(links_until=10, queries="all-aligned"))
    data = batch(linked=True)
    given, _ = objective._labels(objective.step(step(9), data))
    own, _ = objective._labels(objective.step(step(10), data))
    assert (given == data.bitext.partner).all()
    assert (own != data.bitext.partner).any()
    assert "links" in objective.needs and "links" not in DenoisingWordAlignment(DwaConfig()).needs


def test_agreement_switches_to_own_labels_for_good():
    objective, _, heads, step = build(DwaConfig(links_agreement=0.9))
    head, bitext = heads["dwa"], batch(linked=True).bitext
    bitext.partner = objective._own(objective.step(step(), Batch(bitext)))  # perfect agreement
    bitext.partner[0, 1] = -1
    expected = 2 * (bitext.partner >= 0).sum() / (2 * (bitext.partner >= 0).sum() + 1)
    objective._labels(objective.step(step(7), Batch(bitext)))  # not an update that compares
    assert head.agreement == 0
    objective._labels(objective.step(step(20), Batch(bitext)))
    assert float(head.agreement) == pytest.approx(float(expected))
    assert bool(head.own_labels)
    restored = objective.build_head(CONFIG)
    restored.load_state_dict(head.state_dict())
    assert objective._labels_itself(Step(step(0), Batch(bitext), restored))
    # A run that begins with this model and wants given links alone gets them.
    assert not build(DwaConfig(links_until=10))[0]._labels_itself(Step(step(9), Batch(bitext), restored))


def test_own_labels_of_pairs_without_links_do_not_count_as_disagreement():
    objective, _, heads, step = build(DwaConfig(links_agreement=0.9))
    bitext = batch(linked=True).bitext
    bitext.partner = objective._own(objective.step(step(), Batch(bitext)))
    bitext.partner[1], bitext.has_links[1] = -1, False
    objective._labels(objective.step(step(20), Batch(bitext)))
    assert heads["dwa"].agreement == 1


def test_pairs_with_non_finite_states_are_counted_and_harm_no_other():
    objective, encoder, _, step = build()
    data = batch()
    clean = objective.forward(objective.step(step(), data)).stats["pairs_without_label"]
    states = step().states(data.bitext.tokens, labelling=True).layer(objective.labelling.layer).clone()
    states[1] = float("nan")
    labels = self_label(states, data.bitext.spans)
    expected = self_label(
        step().states(data.bitext.tokens, labelling=True).layer(objective.labelling.layer), data.bitext.spans
    )
    assert (labels[1] == -1).all() and (labels[[0, 2]] == expected[[0, 2]]).all()
    with torch.no_grad():
        encoder.sentence_encoder.embed_tokens.weight[data.bitext.tokens[1, 1]] = float("nan")
    broken = objective.forward(objective.step(step(), data)).stats["pairs_without_label"]
    with_token = (data.bitext.tokens == data.bitext.tokens[1, 1]).any(1).sum()
    assert clean[0] == 0 and broken[0] == with_token and broken[1] == 3


def test_a_dustbin_leaves_words_without_a_label():
    shares = []
    for dustbin in (0.1, 0.9):
        objective, _, _heads, step = build(DwaConfig(method="ot-unbalanced", dustbin=dustbin, dustbin_iterations=9))
        bitext = batch(((9, 12), (3, 2), (6, 6))).bitext
        labels = objective._own(objective.step(step(), Batch(bitext)))
        hidden = step().states(bitext.tokens).layer(objective.labelling.layer)
        links = Dustbin(dustbin=dustbin, iterations=9)(hidden, bitext.spans)
        expected = torch.full_like(labels, -1)
        for b, i, j in zip(links.pair.tolist(), links.src.tolist(), links.tgt.tolist(), strict=True):
            s, t = bitext.spans[b, 0] + i, bitext.spans[b, 2] + j
            expected[b, s], expected[b, t] = max(expected[b, s], t), max(expected[b, t], s)
        assert torch.equal(labels, expected)
        shares.append((labels >= 0).sum().item())
        assert objective.forward(objective.step(step(), batch())).count > 0 or dustbin == 0.9
    assert 0 < shares[1] < shares[0]


def test_options_are_those_of_the_method():
    assert labelling_method(DwaConfig()) == Transport()
    assert labelling_method(DwaConfig(method="ot-unbalanced")) == Dustbin()
    given = DwaConfig(
        method="ot-unbalanced", dustbin=0.3, dustbin_mu=0.2, dustbin_iterations=7, dustbin_filter="itermax",
        filter_rounds=3, filter_alpha=0.8,
    )  # fmt: skip
    assert labelling_method(given) == Dustbin(0.3, mu=0.2, iterations=7, filter="itermax", rounds=3, alpha=0.8)
    given = DwaConfig(sinkhorn_iterations=5, mu=0.5, eps=1e-4, order="rows-first", filter_rounds=3, filter_alpha=0.8)
    assert labelling_method(given) == Transport(iterations=5, mu=0.5, eps=1e-4, order="rows-first", rounds=3, alpha=0.8)
    for wrong, named in (
        ({"method": "magic"}, "--dwa-method"),
        ({"dustbin": 0.3}, "--dwa-method transport.*--dwa-dustbin"),
        ({"method": "ot-unbalanced", "order": "rows-first"}, "--dwa-order"),
        ({"method": "ot-unbalanced", "eps": 1e-4}, "--dwa-eps"),
        ({"method": "ot-unbalanced", "mu": 0.5}, "--dwa-mu.*--dwa-dustbin-mu"),
        ({"dustbin_filter": "union"}, "--dwa-dustbin-filter"),
        ({"method": "ot-unbalanced", "dustbin": 2.0}, "dustbin"),
        ({"method": "ot-unbalanced", "label_by": "pointer"}, "--dwa-label-by"),
        ({"order": "any"}, "--dwa-order"),
        ({"filter": "best"}, "--dwa-filter"),
    ):
        with pytest.raises(XalignError, match=f"(?s){named}"):
            DenoisingWordAlignment(DwaConfig(**wrong))


def test_bad_options_are_named():
    with pytest.raises(XalignError, match="--dwa-queries"):
        DenoisingWordAlignment(DwaConfig(queries="some"))
    with pytest.raises(XalignError, match="--dwa-label-layer"):
        build(DwaConfig(label_layer=3))
