from dataclasses import replace

import pytest
import torch
from support.small import MASK, pair, typed
from support.trials import Trial, plain_lm_loss

from xalign_fairseq.objectives.sentence_mlm import SentenceMLM, predicted_in


def batch(lengths, seed=0, specials=False):
    mask = replace(MASK, probability=0.4, specials=specials)
    return typed([pair(n, m, mask=mask, seed=seed) for n, m in lengths])


@pytest.mark.parametrize("specials", [False, True])
def test_predicted_positions_of_a_side_are_those_of_its_targets(specials):
    bitext = batch(((5, 7), (3, 0), (0, 4), (9, 2)), specials=specials).bitext
    for side in (0, 1):
        expected = (bitext.side(side, "targets") != 1).flatten().nonzero()[:, 0].tolist()
        assert predicted_in(bitext, side).tolist() == expected != []


def test_each_side_is_predicted_only_from_itself():
    trial, data = Trial(SentenceMLM), batch(((5, 7), (3, 0), (9, 2)))
    sequences = []
    for masked, targets, spans in zip(data.bitext.masked, data.bitext.targets, data.bitext.spans.tolist(), strict=True):
        for inside in (slice(*spans[:2]), slice(*spans[2:])):
            sequences.append((torch.tensor([[0, *masked[inside].tolist(), 2]]), [1, *targets[inside].tolist()]))
    total, count, correct = plain_lm_loss(trial, sequences)
    loss = trial.loss(data)
    assert count > 5 and loss.count == count
    assert loss.total.item() == pytest.approx(total, rel=1e-10)
    assert [int(each) for each in loss.stats["accuracy"]] == [correct, count]
