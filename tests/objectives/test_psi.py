"""Parallel sentence identification, against awesome-align's equation pair by pair."""

import dataclasses

import pytest
import torch
from support.small import CONFIG
from support.word_pair_batches import DE, EN, RU, Trial, assert_same_gradient, batch

from xalign_fairseq.objectives.psi import PSI, on_device, on_host, partners

# Three of one pair of languages, one exchanged, one of another pair, and one with an empty side.
TEXT = [
    ((EN, DE), [5, 6, 7], [20, 21]),
    ((EN, RU), [8], [40]),
    ((EN, DE), [9], [22, 23, 24]),
    ((DE, EN), [25, 26], [10]),
    ((EN, DE), [11, 12], [27]),
    ((EN, DE), [13], []),
]
DRAWS = [0.1, 0.5, 0.6, 0.2, 0.3, 0.9]
EXCHANGED = {0: 4, 4: 2, 2: 0}  # source -> target of which pair, in the order of the draws


def of(text):
    given = batch([(langs, [[t] for t in src], [[t] for t in tgt], []) for langs, src, tgt in text])
    given.bitext.host.draw[:, 0] = DRAWS[: len(text)]
    return given


def trial(config=CONFIG, **options):
    return Trial(PSI, config, **{"layer": 1, **options})


def told(one, src, tgt, parallel, layer=1):
    """-log s or -log(1 - s) of two sentences in one sequence; s by the head's weights, step by step."""
    state = one.encoder.states(torch.tensor([[0, *src, 2, *tgt, 2]])).layer(layer)[0, 0]
    head = one.head
    inner = torch.tanh(head.transform.weight @ state + head.transform.bias)
    odds = (head.decoder.weight[1] - head.decoder.weight[0]) @ inner + head.decoder.bias[1] - head.decoder.bias[0]
    s = 1 / (1 + torch.exp(-odds))
    return -torch.log(s if parallel else 1 - s)


def by_hand(one, text=TEXT, pairs=None, layer=1):
    positive = [told(one, src, tgt, True, layer) for _, src, tgt in text if src and tgt]
    negative = [told(one, text[i][1], text[j][2], False, layer) for i, j in (pairs or EXCHANGED).items()]
    return sum(positive) + sum(negative), len(positive) + len(negative)


def test_loss_and_gradient_are_those_of_the_equation():
    one = trial()
    for map_ in (one.head.transform, one.head.decoder):  # a new head hardly distinguishes anything
        torch.nn.init.normal_(map_.weight)
        torch.nn.init.normal_(map_.bias)
    loss, gradient = one.gradient(of(TEXT))
    plain, count = by_hand(one)
    assert loss.total.item() == pytest.approx(plain.item()) and loss.count.item() == count == 8
    assert one.objective.count(of(TEXT)) == 8
    assert_same_gradient(one, gradient, plain)


def test_a_pair_without_another_in_its_languages_has_no_partner():
    one = trial()
    alone = [TEXT[0], TEXT[1], TEXT[3]]
    loss = one.loss(of(alone))
    assert loss.count.item() == 3
    assert loss.total.item() == pytest.approx(sum(told(one, src, tgt, True) for _, src, tgt in alone).item())


def test_pairs_that_would_be_too_long_are_not_exchanged():
    one = trial()
    one.objective.most = 7
    loss = one.loss(of(TEXT))
    plain, count = by_hand(one, pairs={0: 4, 2: 0})
    assert loss.count.item() == count == 7 and loss.total.item() == pytest.approx(plain.item())
    bitext = of(TEXT).bitext
    for sides in (on_host(bitext), on_device(bitext)):
        assert partners(*sides, 7).tolist() == [4, -1, 0, -1, -1, -1]


def test_languages_have_their_own_embeddings_on_each_side():
    one = trial(dataclasses.replace(CONFIG, language_embeddings="de,en,ru"))
    given = of(TEXT)
    given.bitext.language_rows = given.bitext.langs
    read = []
    states = type(one.passes()).states

    class Passes(type(one.passes())):
        def states(self, given, *, labelling=False):
            read.append(given)
            return states(self, given, labelling=labelling)

    one.loss(given, passes=Passes(one.encoder, one.heads, True, 5))
    rows = read[-1].languages[4, :8].tolist()  # <s> 11 12 </s> 22 23 24 </s>
    assert rows == [EN] * 4 + [DE] * 4
    assert read[-1].tokens[4].tolist()[:8] == [0, 11, 12, 2, 22, 23, 24, 2]


def test_by_default_the_layer_is_one_above_the_aligned_one():
    assert trial(dataclasses.replace(CONFIG, encoder_layers=12), layer=None).objective.trained_layer == 9
