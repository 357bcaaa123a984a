import torch

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.predictions import Prediction


def test_labels_are_the_targets_at_the_positions():
    read, targets = Input(torch.zeros(2, 3, dtype=torch.int64)), torch.tensor([[1, 5, 1], [7, 1, 8]])
    made = Prediction.of(read, targets, torch.tensor([1, 5]))
    assert made.input is read and made.positions.tolist() == [1, 5] and made.labels.tolist() == [5, 8]
    assert made != Prediction.of(read, targets, torch.tensor([1, 5]))
