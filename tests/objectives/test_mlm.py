import pytest
import torch
from support.small import block, typed
from support.trials import Trial, plain_lm_loss

from xalign_fairseq.objectives.mlm import MLM


def test_it_is_the_sum_over_the_masked_tokens_of_ragged_blocks():
    trial = Trial(MLM)
    blocks = [block(seed, length) for seed, length in ((1, 11), (2, 5), (3, 17))]
    loss = trial.loss(typed([], blocks))
    total, count, correct = plain_lm_loss(
        trial, [(torch.from_numpy(each.masked)[None], each.targets.tolist()) for each in blocks]
    )
    assert count > 6 and loss.count == count
    assert loss.total.item() == pytest.approx(total, rel=1e-10)
    assert [int(each) for each in loss.stats["accuracy"]] == [correct, count]
