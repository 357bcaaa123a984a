"""WEAM's cross-lingual prediction against plain loops, its sources of links, and independence of the batch."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from support.links import pair_matrices
from support.small import CONFIG, MASK, move, pair, typed
from support.trials import Trial, bound
from torch import nn

from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.objectives.word_exchange import WordExchange, exchange
from xalign_fairseq.training.headed import HeadedEncoder

LOUD = replace(MASK, probability=0.5)
# Two source words of 2 and 1 tokens, two target words of 1 and 3; positions <s> 1 2 3 </s> 5 6 7 8 </s>.
WORDS = (np.array([0, 0, 1]), np.array([0, 1, 1, 1]))
UNALIGNED = ("exclude", "zero", "identity")


def sample(src_words, tgt_words, links, seed=0):
    """A pair whose words have the given tokens; links are (i, j) of words, None for a pair without a links file."""
    return pair(len(src_words), len(tgt_words), links, words=[src_words, tgt_words], mask=LOUD, seed=seed)


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
    return typed(samples() if pairs is None else pairs)


class Exchange(Trial):
    """WordExchange with random maps and biases."""

    def __init__(self, **options):
        super().__init__(WordExchange, **options)
        move(self.head, 0.3)
        move(self.encoder.lm_head, 0.3)


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


def restatement(bitext, links_of_pairs, trial, options):
    """Eqs. 5 to 8 and 10 in plain loops: the loss, and the numbers of predicted, correct and linked tokens."""
    hidden = trial.encoder.states(bitext.masked).layer(-1)
    lm, head = trial.encoder.lm_head, trial.head
    last = lm if options["heads"] == "shared" else head
    total, count, correct, linked = 0.0, 0, 0, 0
    for b, links in enumerate(links_of_pairs):
        for i in range(bitext.tokens.shape[1]):
            target = int(bitext.targets[b, i])
            if target == PAD:
                continue
            partners = [hidden[b, j] for a, j in links if a == i] + [hidden[b, a] for a, j in links if j == i]
            linked += bool(partners)
            if not partners and options["unaligned"] == "exclude":
                continue
            exchanged = sum(partners, torch.zeros_like(hidden[b, i]))
            if partners and options["many"] == "mean":
                exchanged = exchanged / len(partners)
            if not partners and options["unaligned"] == "identity":
                exchanged = hidden[b, i]
            features = last.layer_norm(F.gelu(last.dense(head.exchanged(exchanged))))
            logp = (lm.weight @ features + lm.bias).log_softmax(0)
            total = total - logp[target]
            count += 1
            correct += int(logp.argmax()) == target
    return total, count, correct, linked


@pytest.mark.parametrize("heads", ["separate", "shared"])
@pytest.mark.parametrize("unaligned", UNALIGNED)
@pytest.mark.parametrize(("many", "subwords"), [("sum", "all"), ("mean", "all"), ("sum", "first"), ("mean", "k-to-k")])
def test_loss_equals_the_equations(heads, unaligned, many, subwords):
    options = {"heads": heads, "unaligned": unaligned, "many": many, "subwords": subwords}
    trial, data = Exchange(**options), batch()
    loss = trial.loss(data)
    links = [
        token_links(subwords, gold.src_words, gold.tgt_words, gold.links[:, :2].tolist()) if gold else set()
        for gold in data.bitext.gold
    ]
    total, count, correct, linked = restatement(data.bitext, links, trial, options)
    assert loss.total.item() == pytest.approx(total.item(), rel=1e-9) and total > 0
    weights = [*trial.encoder.parameters(), *trial.heads.parameters()]
    found, expected = (torch.autograd.grad(each, weights, allow_unused=True) for each in (loss.total, total))
    torch.testing.assert_close(found, expected)
    assert int(loss.count) == count
    assert [int(each) for each in loss.stats["accuracy"]] == [correct, count]
    masked = int((data.bitext.targets != PAD).sum())
    assert [int(each) for each in loss.stats["masked_with_partner"]] == [linked, masked]
    assert linked < masked and count == (linked if unaligned == "exclude" else masked)


@pytest.mark.parametrize("options", [{"heads": heads} for heads in ("separate", "shared")])
@pytest.mark.parametrize("pairs", [[sample([0, 1], [0, 1], [])], [sample([0, 1], [0], None)], [sample([], [], None)]])
def test_without_a_link_the_loss_is_a_zero_that_reaches_the_head(options, pairs):
    trial = Exchange(**options)
    loss = trial.loss(batch(pairs))
    loss.total.backward()
    assert loss.total == 0 and loss.count == 0 and loss.stats["masked_with_partner"][0] == 0
    assert all(p.grad is not None and (p.grad == 0).all() for p in trial.heads.parameters())


def test_self_labels_are_the_links_of_the_unperturbed_pair():
    options = {"heads": "separate", "unaligned": "exclude", "many": "sum"}
    trial = Exchange(links="self")
    data = batch([sample(*WORDS, None), sample([0, 1, 2], [0, 1, 2, 3], None), sample([], [0, 1], None)])
    bitext = data.bitext
    found, _ = pair_matrices(trial.encoder.states(bitext.tokens).layer(trial.objective.labels_at), bitext.spans)
    links = [set() for _ in bitext.spans]
    for row, i, j in found.nonzero().tolist():
        links[row].add((int(bitext.spans[row, 0]) + i, int(bitext.spans[row, 2]) + j))
    loss = trial.loss(data)
    total, count, *_ = restatement(bitext, links, trial, options)
    assert loss.count == count > 2 and loss.total.item() == pytest.approx(total.item(), rel=1e-9)


def test_self_labelling_needs_no_prepared_links_and_has_no_gradient():
    trial = Exchange(links="self")
    trial.objective.labels_at = 1
    assert trial.objective.traits.needs == ("bitext",) and Exchange().objective.traits.needs == ("bitext", "links")
    ran = []
    for number, layer in enumerate(trial.encoder.sentence_encoder.layers, 1):
        layer.register_forward_hook(lambda *_, n=number: ran.append((n, torch.is_grad_enabled())))
    loss = trial.loss(batch([sample(*WORDS, None)]))
    assert sorted(ran) == [(1, False), (1, True), (2, True)] and loss.count > 0


def test_the_head_may_start_from_the_mlm_head():
    encoder = Encoder(CONFIG)
    nn.init.normal_(encoder.lm_head.layer_norm.bias)
    heads = {}
    for start in ("new", "mlm"):
        model = HeadedEncoder(encoder)
        model.attach_head("word_exchange", bound(WordExchange(start=start), CONFIG).build_head())
        heads[start] = model.heads["word_exchange"]
    hidden = torch.randn(3, CONFIG.encoder_embed_dim)
    # The exchange starts as the identity, so predictions equal those of the MLM head.
    assert torch.equal(heads["mlm"].features(hidden), encoder.lm_head.features(hidden))
    assert not torch.allclose(heads["new"].features(hidden), encoder.lm_head.features(hidden))
    with torch.no_grad():
        heads["mlm"].dense.weight.zero_()  # a copy: the MLM head is unchanged
    assert encoder.lm_head.dense.weight.any()


def test_half_precision_is_summed_in_float32():
    hidden = torch.full((1, 8, 1), 40000.0, dtype=torch.float16)  # the sum of two overflows in float16
    links = torch.tensor([[True, True, True], [False] * 3, [False] * 3])
    states, _ = exchange(hidden, links[None], torch.tensor([[1, 4, 5, 8]]), torch.arange(8), "mean")
    assert states.dtype == torch.float16 and states[1].item() == hidden[0, 0].item()
