import torch

from xalign_fairseq.objectives.selection import true_first


def test_what_is_true_comes_first_and_both_are_in_order():
    mask = torch.tensor([False, True, False, True, True])
    assert true_first(mask, 3).tolist() == [1, 3, 4]
    assert true_first(mask, 5).tolist() == [1, 3, 4, 0, 2]
    assert true_first(mask, 0).tolist() == true_first(mask[:0], 0).tolist() == []
