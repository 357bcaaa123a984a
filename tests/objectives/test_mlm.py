import pytest
import torch
from support.small import block, typed
from support.trials import Trial

from xalign_fairseq.objectives.mlm import MLM


def restatement(trial, blocks):
    """-sum log p(x_i | masked block), block by block without padding; the number of predictions and of correct ones."""
    total, count, correct = 0.0, 0, 0
    for each in blocks:
        hidden = trial.encoder.states(torch.from_numpy(each.masked)[None]).layer(-1)[0]
        for place, target in enumerate(each.targets.tolist()):
            if target != 1:
                logp = trial.encoder.lm_head(hidden[place, None])[0].log_softmax(0)
                total, count = total - logp[target].item(), count + 1
                correct += int(logp.argmax()) == target
    return total, count, correct


def test_it_is_the_sum_over_the_masked_tokens_of_ragged_blocks():
    trial = Trial(MLM)
    blocks = [block(seed, length) for seed, length in ((1, 11), (2, 5), (3, 17))]
    loss = trial.loss(typed([], blocks))
    total, count, correct = restatement(trial, blocks)
    assert count > 6 and loss.count == count
    assert loss.total.item() == pytest.approx(total, rel=1e-10)
    assert [int(each) for each in loss.stats["accuracy"]] == [correct, count]
