import pytest
import torch
from support.small import typed
from support.trials import Trial

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.hidden_states import Prediction
from xalign_fairseq.objectives.mlm import MLM
from xalign_fairseq.objectives.prediction import summed, true_first
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.ops.linear_cross_entropy import TokenLosses


def test_nothing_predicted_is_a_zero_with_a_gradient():
    nothing = TokenLosses(torch.zeros(0, requires_grad=True), *torch.zeros(2, 0, dtype=torch.bool))
    loss = summed([nothing])
    loss.total.backward()
    assert loss.total == 0 and loss.count == 0 and nothing.nll.grad.shape == (0,)


def test_only_selected_positions_are_predicted():
    trial = Trial(MLM)
    read = Input(torch.tensor([[0, 59, 6, 2], [0, 7, 59, 2]]))
    targets = torch.tensor([[1, 5, 1, 1], [1, 1, 8, 1]])
    loss = trial.objective.forward(
        Step(trial.passes(), typed([]), predictions=[Prediction.of(read, targets, torch.tensor([1, 6]))])
    )
    hidden = trial.encoder.states(read).layer()
    rows = [trial.encoder.lm_head(hidden[0, 1, None]), trial.encoder.lm_head(hidden[1, 2, None])]
    expected = sum(-row.log_softmax(1)[0, target].item() for row, target in zip(rows, (5, 8), strict=True))
    assert loss.total.item() == pytest.approx(expected, rel=1e-12) and loss.count == 2


def test_true_positions_come_first_and_both_parts_are_in_order():
    mask = torch.tensor([False, True, False, True, True])
    assert true_first(mask, 3).tolist() == [1, 3, 4]
    assert true_first(mask, 5).tolist() == [1, 3, 4, 0, 2]
    assert true_first(mask, 0).tolist() == true_first(mask[:0], 0).tolist() == []
