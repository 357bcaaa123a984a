from dataclasses import replace
from unittest.mock import patch

import pytest
import torch
from support.small import MASK, pair, typed
from support.trials import Trial

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.objectives.dwa import DWA
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.pointer import Pointer

LENGTHS = ((5, 7), (3, 2), (6, 6))


def batch(lengths=LENGTHS, links=None):
    return typed([pair(n, m, links, mask=replace(MASK, probability=0.4)) for n, m in lengths])


def trial(**options):
    return Trial(DWA, **options)


def asked(made, data, **keywords):
    """The pointer's queries and labels (B, T) for a batch, and the loss."""
    seen = {}

    def loss(hidden, spans, queries, labels, **more):
        seen.update(queries=queries, labels=labels)
        return Pointer.loss(made.head.pointer, hidden, spans, queries, labels, **more)

    with patch.object(made.head.pointer, "loss", loss):
        found = made.loss(data, **keywords)
    return seen["queries"], seen["labels"], found


def labels_of(made, data, method):
    """The labels of a method's links at the labelling layer, in plain loops: the last partner of each token."""
    spans = data.bitext.spans
    links = method(made.encoder.states(data.bitext.tokens).layer(made.objective.labelling.layer), spans)
    expected = torch.full_like(data.bitext.tokens, -1)
    for b, i, j in zip(links.pair.tolist(), links.src.tolist(), links.tgt.tolist(), strict=True):
        s, t = spans[b, 0] + i, spans[b, 2] + j
        expected[b, s], expected[b, t] = max(expected[b, s], t), max(expected[b, t], s)
    return expected


def test_the_loss_is_the_pointers_over_the_perturbed_pair_with_labels_of_the_clean_one():
    made, data = trial(), batch()
    queries, labels, loss = asked(made, data)
    assert torch.equal(labels, labels_of(made, data, Transport()))
    assert torch.equal(queries, (labels >= 0) & (data.bitext.targets != 1)) and loss.count == queries.sum() > 0
    hidden = made.encoder.states(data.bitext.masked).layer(-1)
    total, correct = made.head.pointer.loss(hidden, data.bitext.spans, queries, labels)
    assert loss.total.item() == pytest.approx(total.item(), rel=1e-12)
    assert [int(each) for each in loss.stats["accuracy"]] == [int(correct), int(loss.count)]
    tokens = sum(n + m for n, m in LENGTHS)
    assert [int(each) for each in loss.stats["links_per_token"]] == [int((labels >= 0).sum()), tokens]
    masked = int((data.bitext.targets != 1).sum())
    assert [int(each) for each in loss.stats["masked_with_label"]] == [int(loss.count), masked]


def test_query_positions():
    data = batch(((9, 9), (6, 8), (2, 3)))
    masked = data.bitext.targets != 1
    found = {}
    for name in ("masked", "unmasked", "all-aligned"):
        queries, labels, _ = asked(trial(queries=name, unmasked_prob=0.5), data)
        found[name] = queries
    linked = labels >= 0
    assert torch.equal(found["masked"], linked & masked)
    assert torch.equal(found["unmasked"], linked & ~masked & (data.bitext.draw < 0.5)) and found["unmasked"].any()
    # Of two tokens that are each other's partner one is a query: the source's if its draw is below a half.
    rows = torch.arange(len(labels))[:, None]
    mutual = linked & (labels[rows, labels.clamp(min=0)] == torch.arange(labels.shape[1]))
    partner_asks = found["all-aligned"][rows, labels.clamp(min=0)]
    assert mutual.sum() > 8 and torch.equal(found["all-aligned"][mutual], ~partner_asks[mutual])
    source = torch.arange(labels.shape[1]) < data.bitext.spans[:, 1:2]
    assert torch.equal(found["all-aligned"] & source, linked & source & (data.bitext.draw < 0.5))


@pytest.mark.parametrize("queries", ["masked", "unmasked", "all-aligned"])
def test_the_bound_loses_no_query_and_limits_the_softmax(queries, monkeypatch):
    made, shapes = trial(queries=queries, filter="union"), []
    data = batch(((20, 30), (25, 24), (3, 4)))
    computed = Pointer.log_probabilities
    monkeypatch.setattr(
        Pointer, "log_probabilities", lambda self, *given: shapes.append(given[2].shape) or computed(self, *given)
    )
    asking, labels, loss = asked(made, data)
    most = shapes[-1][1]
    whole, _ = made.head.pointer.loss(
        made.encoder.states(data.bitext.masked).layer(-1), data.bitext.spans, asking, labels
    )
    assert loss.count == asking.sum() > 0 and loss.total.item() == pytest.approx(whole.item(), rel=1e-12)
    assert most >= asking.sum(1).max()
    if queries != "all-aligned":
        assert most <= 0.7 * data.bitext.tokens.shape[1]


def test_labels_come_from_a_pass_without_gradient_that_stops_at_the_layer():
    made, ran = trial(label_layer=1), []
    for number, layer in enumerate(made.encoder.sentence_encoder.layers, 1):
        layer.register_forward_hook(lambda *_, n=number: ran.append((n, torch.is_grad_enabled())))
    made.loss(batch())
    assert sorted(ran) == [(1, False), (1, True), (2, True)]


def test_given_links_are_used_until_the_update_and_own_labels_after_it():
    made, data = trial(links_until=10, queries="all-aligned"), batch(links=[(0, 0)])
    own = labels_of(made, data, Transport())
    assert torch.equal(asked(made, data, update=9)[1], data.bitext.partner)
    assert torch.equal(asked(made, data, update=10)[1], own) and (own != data.bitext.partner).any()
    assert torch.equal(asked(made, data, update=9, training=False)[1], own)
    assert "links" in made.objective.traits.needs and "links" not in trial().objective.traits.needs


def test_pairs_with_non_finite_states_are_counted_and_harm_no_other():
    made, data = trial(), batch()
    _, before, clean = asked(made, data)
    with torch.no_grad():
        made.encoder.sentence_encoder.embed_tokens.weight[data.bitext.tokens[1, 1]] = float("nan")
    _, after, broken = asked(made, data)
    struck = (data.bitext.tokens == data.bitext.tokens[1, 1]).any(1)
    assert (after[struck] == -1).all() and torch.equal(after[~struck], before[~struck]) and (~struck).any()
    assert [int(each) for each in clean.stats["pairs_without_label"]] == [0, 3]
    assert [int(each) for each in broken.stats["pairs_without_label"]] == [int(struck.sum()), 3]


def test_the_pointer_can_label_by_its_own_scores_at_its_own_layer():
    made, data = trial(label_by="pointer", layer=1), batch()
    for map_ in (made.head.pointer.query, made.head.pointer.key):
        torch.nn.init.normal_(map_.weight)
    labels = asked(made, data)[1]
    assert torch.equal(labels, labels_of(made, data, Transport(measure=made.head.pointer.similarity)))
    assert not torch.equal(labels, labels_of(made, data, Transport()))


def test_options_are_those_of_the_method():
    assert DWA().labeller == Transport()
    made = DWA(sinkhorn_iterations=5, mu=0.5, eps=1e-4, order="rows-first", filter_rounds=3, filter_alpha=0.8)
    assert made.labeller == Transport(iterations=5, mu=0.5, eps=1e-4, order="rows-first", rounds=3, alpha=0.8)
    with pytest.raises(XalignError, match=r"(?s)dwa_filter='argmax'.*dwa_filter_rounds"):
        DWA(filter="argmax", filter_rounds=3)


def test_the_pointer_starts_as_its_option_specifies():
    identity, by_chance = (trial(pointer_start=start).head.pointer for start in ("identity", "random"))
    assert all(
        torch.equal(each.weight, torch.eye(len(each.weight)).to(each.weight)) for each in (identity.query, identity.key)
    )
    assert not by_chance.query.weight.diagonal().eq(1).any() and torch.equal(
        trial().head.pointer.query.weight, by_chance.query.weight
    )


def test_before_the_start_update_nothing_is_labelled():
    made = trial(start_update=3)
    early, late = (made.loss(batch(), update=n) for n in (2, 3))
    assert early.count == 0 and early.total == 0 and late.count > 0
    assert made.loss(batch(), update=2, training=False).count > 0
