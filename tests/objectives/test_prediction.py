import math

import pytest
import torch
from small import CONFIG, block, typed
from trials import Trial

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.objectives.mlm import MaskedLanguageModel
from xalign_fairseq.objectives.prediction import cross_entropy, masked_cross_entropy
from xalign_fairseq.objectives.selection import IGNORED


def test_a_cross_entropy_by_hand():
    logits = torch.tensor([[math.log(1.0), math.log(3.0)], [0.0, 0.0]], requires_grad=True)
    loss = cross_entropy(logits, torch.tensor([1, 1]))
    assert loss.total.item() == pytest.approx(-math.log(3 / 4) - math.log(1 / 2))
    assert loss.count == 2
    assert [int(each) for each in loss.stats["accuracy"]] == [1, 2]  # of equals the first is the choice
    loss.total.backward()
    expected = torch.tensor([[1 / 4, -1 / 4], [1 / 2, -1 / 2]])  # softmax less the one of the label
    torch.testing.assert_close(logits.grad, expected)


def test_what_is_ignored_is_not_predicted():
    logits = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    loss = cross_entropy(logits, torch.tensor([1, IGNORED, 4]))
    expected = cross_entropy(logits[::2], torch.tensor([1, 4]))
    assert loss.total.item() == pytest.approx(expected.total.item()) and int(loss.count) == 2
    assert [int(each) for each in loss.stats["accuracy"]] == [int(each) for each in expected.stats["accuracy"]]
    loss.total.backward()
    assert logits.grad[::2].any(1).all() and not logits.grad[1].any()


def test_nothing_predicted_is_a_zero_with_a_gradient():
    logits = torch.zeros(0, 5, requires_grad=True)
    loss = cross_entropy(logits, torch.zeros(0, dtype=torch.int64))
    loss.total.backward()
    assert loss.total == 0 and loss.count == 0 and logits.grad.shape == (0, 5)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sums_of_half_precision_do_not_overflow(dtype):
    logits = torch.zeros(9000, 8, dtype=dtype)
    logits[:, 0] = 20
    loss = cross_entropy(logits, torch.ones(9000, dtype=torch.int64))
    assert loss.total.dtype == torch.float32 and loss.total.item() == pytest.approx(9000 * 20, rel=1e-4)
    assert cross_entropy(logits.double(), loss.count.new_zeros(9000)).total.dtype == torch.float64


def test_only_the_chosen_positions_are_predicted_from_what_is_read():
    trial = Trial(MaskedLanguageModel)
    read = Input(torch.tensor([[0, 59, 6, 2], [0, 7, 59, 2]]))
    targets = torch.tensor([[1, 5, 1, 1], [1, 1, 8, 1]])
    loss = masked_cross_entropy(trial.passes(), read, targets, torch.tensor([1, 6]))
    hidden = trial.encoder.states(read).layer()
    rows = [trial.encoder.lm_head(hidden[0, 1, None]), trial.encoder.lm_head(hidden[1, 2, None])]
    expected = sum(-row.log_softmax(1)[0, target].item() for row, target in zip(rows, (5, 8), strict=True))
    assert loss.total.item() == pytest.approx(expected, rel=1e-12) and loss.count == 2


def test_the_gradient_is_the_numerical_one():
    trial = Trial(MaskedLanguageModel)
    data = typed([], [block(1, length=4)])
    assert len(data.mono.predicted) > 0
    weights = (trial.encoder.lm_head.bias, trial.encoder.sentence_encoder.layers[1].fc2.bias)
    # gradcheck changes its inputs in place, so that they need not be passed on.
    assert torch.autograd.gradcheck(lambda *_: trial.loss(data).total, weights, fast_mode=True)
    assert CONFIG.dropout == 0
