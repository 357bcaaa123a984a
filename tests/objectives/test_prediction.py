import torch

from xalign_fairseq.objectives.prediction import summed, true_first
from xalign_fairseq.transport.ops.linear_cross_entropy import TokenLosses


def test_nothing_predicted_is_a_zero_with_a_gradient():
    nothing = TokenLosses(torch.zeros(0, requires_grad=True), *torch.zeros(2, 0, dtype=torch.bool))
    loss = summed([nothing])
    loss.total.backward()
    assert loss.total == 0 and loss.count == 0 and nothing.nll.grad.shape == (0,)


def test_true_positions_come_first_and_both_parts_are_in_order():
    mask = torch.tensor([False, True, False, True, True])
    assert true_first(mask, 3).tolist() == [1, 3, 4]
    assert true_first(mask, 5).tolist() == [1, 3, 4, 0, 2]
    assert true_first(mask, 0).tolist() == true_first(mask[:0], 0).tolist() == []
