from dataclasses import replace

import pytest
import torch
from support.small import MASK, pair, typed
from support.trials import Trial

from xalign_fairseq.objectives.sentence_mlm import SentenceMLM, predicted_in


def samples(lengths, seed=0, specials=False):
    mask = replace(MASK, probability=0.4, specials=specials)
    return [pair(n, m, mask=mask, seed=seed) for n, m in lengths]


def batch(lengths, **options):
    return typed(samples(lengths, **options))


@pytest.mark.parametrize("specials", [False, True])
def test_predicted_positions_of_a_side_are_those_of_its_targets(specials):
    bitext = batch(((5, 7), (3, 0), (0, 4), (9, 2)), specials=specials).bitext
    for side in (0, 1):
        expected = (bitext.side(side, "targets") != 1).flatten().nonzero()[:, 0].tolist()
        assert predicted_in(bitext, side).tolist() == expected != []


@pytest.fixture
def trial():
    return Trial(SentenceMLM)


def test_each_side_is_predicted_from_itself_alone(trial):
    data = batch(((5, 7), (3, 0), (9, 2)))
    total, count, correct = 0.0, 0, 0
    for row, spans in enumerate(data.bitext.spans.tolist()):
        for start, end in (spans[:2], spans[2:]):
            masked = data.bitext.masked[row, start:end].tolist()
            hidden = trial.encoder.states(torch.tensor([[0, *masked, 2]])).layer(-1)[0]
            for k, target in enumerate(data.bitext.targets[row, start:end].tolist(), start=1):
                if target != 1:
                    logp = trial.encoder.lm_head(hidden[None, k])[0].log_softmax(0)
                    total, count = total - logp[target].item(), count + 1
                    correct += int(logp.argmax() == target)
    loss = trial.loss(data)
    assert count > 5 and loss.count == count
    assert loss.total.item() == pytest.approx(total, rel=1e-10)
    assert [int(each) for each in loss.stats["accuracy"]] == [correct, count]
