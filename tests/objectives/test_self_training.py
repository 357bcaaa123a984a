"""The loss over the model's own links, against plain loops."""

from dataclasses import replace

import pytest
import torch
from support.word_pair_batches import SENTENCES, Trial, assert_same_gradient, batch, bitext

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.objectives.self_training import SelfTraining
from xalign_fairseq.transport.methods import Cosine, Softmax, Transport


def trial(**options):
    return Trial(SelfTraining, **{"layer": 1, **options})


def sides(trial, sentence):
    """States of both sides' tokens, encoded separately without padding or special tokens."""
    return [trial.hidden(sentence, side, trial.objective.labelling.layer)[1:-1] for side in (0, 1)]


def mutual_best(cosine):
    """Links (n, m) of tokens that are each other's most similar, in plain loops."""
    links = torch.zeros_like(cosine, dtype=torch.bool)
    for i in range(len(cosine)):
        j = int(cosine[i].argmax())
        links[i, j] = int(cosine[:, j].argmax()) == i
    return links


def given_links(sentence, subwords):
    """Links (n, m) of the tokens of linked words, all with all or k-th with k-th, in plain loops."""
    words = [
        [(word, place) for word, tokens in enumerate(side) for place in range(len(tokens))] for side in sentence[1:3]
    ]
    links = torch.zeros(len(words[0]), len(words[1]), dtype=torch.bool)
    for i, (word, place) in enumerate(words[0]):
        for j, (other, at) in enumerate(words[1]):
            links[i, j] = (word, other) in sentence[3] and (subwords == "all" or place == at)
    return links


def plain_cross_entropy(trial, sentence, temperature=0.05, labels="found"):
    """The loss of one pair and its links."""
    src, tgt = (each / each.norm(dim=1, keepdim=True) for each in sides(trial, sentence))
    links, scores = mutual_best(src @ tgt.T), src @ tgt.T / temperature
    if labels != "found":
        links = given_links(sentence, "k-to-k") if labels == "given" else links & given_links(sentence, "all")
    return -(scores.log_softmax(1)[links] + scores.log_softmax(0)[links]).sum(), int(links.sum())


def test_loss_and_gradient_equal_the_restatement():
    one = trial()
    loss, gradient = one.gradient(batch())
    losses, links = zip(*(plain_cross_entropy(one, sentence) for sentence in SENTENCES), strict=True)
    assert loss.total.item() == pytest.approx(sum(losses).item(), rel=1e-9) and loss.total.item() > 0.1
    assert loss.count.item() == sum(links) == int(loss.stats["probability"][1])
    assert [int(each) for each in loss.stats["links_per_token"]] == [2 * sum(links), 26]
    assert_same_gradient(one, gradient, sum(losses))


@pytest.mark.parametrize("labels", ["given", "both"])
def test_prepared_links_label(labels):
    one = trial(labels=labels)
    assert one.objective.traits.needs == ("bitext", "links")
    loss, gradient = one.gradient(batch())
    losses, links = zip(*(plain_cross_entropy(one, each, labels=labels) for each in SENTENCES), strict=True)
    assert loss.total.item() == pytest.approx(sum(losses).item(), rel=1e-9)
    assert 0 < loss.count.item() == sum(links) != int(trial().loss(batch()).count)
    assert_same_gradient(one, gradient, sum(losses))


def test_the_probability_is_the_mean_of_both_directions():
    one = trial()
    p = []
    for sentence in SENTENCES:
        src, tgt = (each / each.norm(dim=1, keepdim=True) for each in sides(one, sentence))
        links, scores = mutual_best(src @ tgt.T), src @ tgt.T / 0.05
        p += ((scores.softmax(1)[links] + scores.softmax(0)[links]) / 2).tolist()
    found, links = one.loss(batch()).stats["probability"]
    assert found.item() / links.item() == pytest.approx(sum(p) / len(p))


@pytest.mark.parametrize(
    ("name", "method"), [("argmax", Cosine("argmax")), ("softmax", Softmax()), ("transport", Transport())]
)
def test_any_method_labels_and_the_model_keeps_it(name, method):
    one = trial(method=name)
    labelling = one.objective.labelling
    assert labelling.finder == method and labelling.pair_encoding == "separate" and labelling.layer == 1
    hidden, spans = one.passes().pair_states(bitext(), 1, "separate")
    assert one.loss(batch()).count.item() == len(method(hidden, spans).pair) > 0


def test_with_dropout_links_come_from_a_pass_without(monkeypatch):
    one = Trial(SelfTraining, config=replace(Trial(SelfTraining).encoder.config, dropout=0.3), layer=1)
    seen, kind = [], type(one.objective.labeller)
    matrix = kind.matrix

    def watched(self, hidden, *args, **options):
        seen.append(hidden)
        return matrix(self, hidden, *args, **options)

    monkeypatch.setattr(kind, "matrix", watched)
    one.loss(batch())
    calm, _ = one.passes(training=False).pair_states(bitext(), 1, "separate", labelling=True)
    torch.testing.assert_close(seen[0], calm)
    assert not seen[0].requires_grad


def test_pairs_with_an_empty_side_cost_nothing():
    one = trial()
    empty = [((1, 0), [[5], [6]], [], [], True), ((0, 1), [], [], [], True)]
    loss, gradient = one.gradient(batch(empty))
    assert loss.total.item() == 0 and loss.count.item() == 0
    assert not any(grad.any() for grad in gradient.values() if grad is not None)
    beside = one.loss(batch([*SENTENCES, *empty]))
    assert beside.total.item() == pytest.approx(one.loss(batch()).total.item())
    assert beside.stats["pairs_without_links"][0].item() == 0


def test_options_that_do_not_fit_are_refused():
    with pytest.raises(XalignError, match="temperature"):
        SelfTraining(temperature=0.0)
