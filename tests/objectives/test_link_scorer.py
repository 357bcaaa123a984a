"""The loss of a link scorer, against plain loops over pairs; options; a frozen encoder."""

import pytest
import torch
import torch.nn.functional as F
from support.small import typed
from support.trials import bound
from support.word_pair_batches import SENTENCES, Trial, assert_same_gradient, batch, pair

from xalign_fairseq.objectives.link_scorer import LinkScoring
from xalign_fairseq.transport.pair_features import WordStates


def trial(**options):
    return Trial(LinkScoring, **{"train_encoder": True, **options})


def plain_loss(one, sentence):
    """The loss of one pair and its links, from states of words alone, without a batch."""
    sides = []
    for side in (0, 1):
        states = [
            torch.stack([one.word(sentence, side, number, "mean", layer) for layer in (1, 2)])
            for number in range(len(sentence[1 + side]))
        ]
        tokens = torch.tensor([[float(len(word)) for word in sentence[1 + side]]]).double()
        sides.append(WordStates(F.normalize(torch.stack(states), dim=2)[None], tokens))
    scores = one.head(*sides)
    labels = torch.zeros_like(scores.rounds[0])
    total = torch.zeros(())
    for i, j in sentence[3]:
        labels[0, i, j] = 1
        total = total - scores.log_forward[0, i, j] - scores.log_backward[0, i, j]
    for logits in scores.rounds:
        total = total + F.binary_cross_entropy_with_logits(logits, labels, reduction="sum")
    found = scores.rounds[1] > 0
    return total, int((found & (labels > 0)).sum()), int(found.sum())


def test_loss_and_gradient_equal_the_restatement():
    one = trial()
    loss, gradient = one.gradient(batch())
    totals, hits, found = zip(*(plain_loss(one, sentence) for sentence in SENTENCES), strict=True)
    links = sum(len(sentence[3]) for sentence in SENTENCES)
    assert loss.total.item() == pytest.approx(sum(totals).item(), rel=1e-9) and loss.count.item() == links
    assert [int(each) for each in loss.stats["precision"]] == [sum(hits), sum(found)]
    assert [int(each) for each in loss.stats["recall"]] == [sum(hits), links]
    assert_same_gradient(one, gradient, sum(totals))


def test_pairs_without_prepared_links_have_no_loss():
    one = trial()
    more = [*(pair(*sentence) for sentence in SENTENCES), pair(*SENTENCES[0], gold=False)]
    assert one.loss(typed(more)).total.item() == pytest.approx(one.loss(batch()).total.item(), rel=1e-9)


def test_the_encoder_is_frozen_on_request():
    one = trial(train_encoder=False)
    assert one.objective.traits.freezes_encoder and not trial().objective.traits.freezes_encoder
    _, gradient = one.gradient(batch())
    moved = {name for name, each in gradient.items() if each is not None and each.abs().max() > 0}
    assert moved and all("heads.link_scorer" in name or "scorer" in name for name in moved)


def test_layers_of_an_encoder_of_another_depth():
    assert bound(LinkScoring()).read == (1, 2) and bound(LinkScoring()).similar == (1,)
