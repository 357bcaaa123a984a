from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from support.links import by_pair
from support.small import CONFIG as SMALL
from support.small import pair, typed
from support.trials import Task, bound

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.criterions.validation import PARTS, AerCounter, _mean_rate
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.objectives.dwa import DWA
from xalign_fairseq.objectives.linear_mapping import LinearMapping
from xalign_fairseq.objectives.self_training import SelfTraining
from xalign_fairseq.transport.methods import Cosine, Transport, change_method

CONFIG = replace(SMALL, encoder_layers=3)
LINKS = [np.array([[0, 0, 1], [1, 2, 0], [2, 1, 1]]), np.array([[0, 0, 1]]), None]
TASK = Task(languages=("aa", "bb", "cc"))


def labeller(**options):
    return bound(DWA(**options), CONFIG)


def prepared(objectives, layer=None, filter=None, similarity=None):
    counter = AerCounter(layer, filter, similarity)
    counter.prepare(CONFIG, objectives)
    return counter


@pytest.fixture
def bitext():
    samples = []
    for corpus, (n, m), links in zip((0, 1, 0), ((5, 7), (3, 2), (4, 4)), LINKS, strict=True):
        # The last two tokens of each side are one word.
        words = [np.minimum(np.arange(size), size - 2) for size in (n, m)]
        samples.append(pair(n, m, links, words=words, corpus=corpus))
    return typed(samples)


@pytest.fixture
def encoder():
    torch.manual_seed(1)
    return Encoder(CONFIG)


def expected(links):
    """AER's parts by hand: links (k, 2) of each pair between its tokens."""
    counts = dict.fromkeys((f"aer/{name}/{part}" for name in TASK.pair_names for part in PARTS), 0.0)
    for corpus, (n, m), gold, found in zip((0, 1), ((5, 7), (3, 2)), LINKS, links, strict=False):
        words = {(min(i, n - 2), min(j, m - 2)) for i, j in found}
        sure = {(i, j) for i, j, mark in gold.tolist() if mark}
        possible = {(i, j) for i, j, _ in gold.tolist()}
        for part, value in zip(PARTS, (len(words & sure), len(words & possible), len(words), len(sure)), strict=True):
            counts[f"aer/{TASK.pair_names[corpus]}/{part}"] += value
    return counts


@pytest.mark.parametrize(
    ("options", "given", "method", "layer"),
    [
        ({}, {}, Transport(), 2),
        ({"filter": "union", "mu": 0.5, "label_layer": 1}, {}, Transport(filter="union", mu=0.5), 1),
        ({"mu": 0.5}, {"filter": "union", "layer": -1}, Transport(mu=0.5, filter="union"), 3),
        (None, {}, Transport(), 2),
        (None, {"filter": "argmax", "layer": 0}, Transport(filter="argmax"), 0),
    ],
)
def test_links_are_made_as_the_model_labels_itself(bitext, encoder, options, given, method, layer):
    objectives = [] if options is None else [labeller(**options)]
    heads = torch.nn.ModuleDict({each.name: each.build_head() for each in objectives})
    found = prepared(objectives, **given).counts(StepEncoder(encoder, heads, False, 0), bitext, TASK)
    pairs = bitext.bitext
    hidden = encoder.states(pairs.input(), training=False, grad=False).layer(layer)
    assert found == expected(by_pair(method(hidden, pairs.spans), 3))
    assert found["aer/aa-bb/links"] > 0 and found["aer/aa-cc/sure"] == 1


def test_a_pointer_that_labels_is_scored_at_its_layer(bitext, encoder):
    objective = labeller(label_by="pointer", layer=1, filter="argmax")
    head = objective.build_head()
    torch.nn.init.normal_(head.pointer.query.weight), torch.nn.init.normal_(head.pointer.key.weight)
    step = StepEncoder(encoder, torch.nn.ModuleDict({"dwa": head}), False, 0)
    found = prepared([objective]).counts(step, bitext, TASK)
    pairs = bitext.bitext
    method = Transport(filter="argmax", measure=head.pointer.similarity)
    hidden = encoder.states(pairs.input(), training=False, grad=False)
    assert found == expected(by_pair(method(hidden.layer(1), pairs.spans), 3))
    by_hidden = prepared([objective], similarity="hidden").counts(step, bitext, TASK)
    rows = by_pair(change_method(Transport(), filter="argmax")(hidden.layer(2), pairs.spans), 3)
    assert by_hidden == expected(rows) != found


def test_pairs_are_encoded_as_the_labeller_requires(bitext, encoder):
    objective = bound(SelfTraining(layer=1), CONFIG)
    step = StepEncoder(encoder, torch.nn.ModuleDict(), False, 0)
    hidden, spans = step.pair_states(bitext.bitext, 1, "separate")
    links = by_pair(Cosine()(hidden, spans), 3)
    assert prepared([objective]).counts(step, bitext, TASK) == expected(links)
    assert by_pair(Cosine()(*step.pair_states(bitext.bitext, 1, "joint")), 3) != links


def test_linear_maps_are_read_through(bitext, encoder):
    """As with ``--maps``: separate encodings, each mapped by its language's map of the layer."""
    # Batches number the languages 0 and 1.
    objective = bound(LinearMapping(), CONFIG, Task(languages=("cc", "bb"), pivot="bb"))
    head = objective.build_head()
    with torch.no_grad():
        head.of("cc").add_(torch.randn_like(head.of("cc")))
    pairs = bitext.bitext
    assert pairs.langs.tolist() == [[0, 1]] * 3
    rows = []
    for row, (n, m) in enumerate(((5, 7), (3, 2))):
        sides = [pairs.side(side)[row : row + 1, : size + 2] for side, size in enumerate((n, m))]
        src, tgt = (encoder.states(side, training=False, grad=False).layer(2) for side in sides)
        hidden = torch.cat([src @ head.of("cc")[2], tgt], 1)
        rows += by_pair(Transport()(hidden, torch.tensor([[1, 1 + n, n + 3, n + 3 + m]])), 1)
    step = StepEncoder(encoder, torch.nn.ModuleDict({"linear_mapping": head}), False, 0)
    found = prepared([objective]).counts(step, bitext, TASK)
    assert found == expected(rows)
    with torch.no_grad():
        head.of("cc").copy_(torch.eye(8).expand_as(head.of("cc")))
    assert prepared([objective]).counts(step, bitext, TASK) != found


def test_links_between_words_are_those_of_the_aligner(bitext, encoder):
    """``grow`` scores words, and its links between their tokens do not determine these scores."""
    objective = bound(SelfTraining(method="grow", layer=1), CONFIG)
    step = StepEncoder(encoder, torch.nn.ModuleDict(), False, 0)
    counter = prepared([objective])
    method = counter.linking.finder
    hidden, spans = step.pair_states(bitext.bitext, 1, counter.linking.pair_encoding)
    rows = []
    for row, (n, m) in enumerate(((5, 7), (3, 2))):
        words = [torch.arange(size).clamp(max=size - 2)[None] for size in (n, m)]
        rows.append(list(method.links(hidden[row : row + 1], spans[row : row + 1], *words)[0][0]))
    assert counter.counts(step, bitext, TASK) == expected(rows)
    assert expected(rows) != expected(by_pair(method(hidden, spans), 3))


def test_nothing_is_counted_in_training_or_without_gold(bitext, encoder):
    counter = prepared([])
    nothing = torch.nn.ModuleDict()
    assert counter.counts(StepEncoder(encoder, nothing, True, 0), bitext, TASK) == {}
    bare = typed([pair(1, 1)])
    found = counter.counts(StepEncoder(encoder, nothing, False, 0), bare, TASK)
    assert len(found) == 8 and not any(found.values())


def test_options_without_meaning_are_named():
    with pytest.raises(XalignError, match="no pointer"):
        prepared([], similarity="pointer")
    assert prepared([labeller(layer=1)], similarity="pointer").linking.layer == 1
    with pytest.raises(XalignError, match="aer_layer"):
        prepared([], layer=5)
    for given in ({"filter": "best"}, {"similarity": "cosine"}):
        with pytest.raises(XalignError, match="aer_" + next(iter(given))):
            prepared([], **given)


def test_a_pair_with_only_possible_gold_counts_in_the_mean():
    counts = {"aa-bb": (3, 4, 4, 4), "aa-cc": (0, 1, 2, 0)}  # AER 1 - 7/8 and 1 - 1/2
    meters = {
        f"_aer_{name}_{part}": SimpleNamespace(sum=value)
        for name, values in counts.items()
        for part, value in zip(PARTS, values, strict=True)
    }
    assert _mean_rate(list(counts), meters) == pytest.approx((0.125 + 0.5) / 2, abs=1e-4)
