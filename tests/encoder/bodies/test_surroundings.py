"""What a pass knows of its sentences: places, padding, the longest, and what is made once."""

import torch

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.packing import pack
from xalign_fairseq.encoder.bodies.surroundings import Surroundings

TOKENS = torch.tensor([[0, 5, 6, 2], [0, 2, 1, 1]])


def test_of_a_padded_input():
    around = Surroundings.of([Input(TOKENS)], None, 1)
    assert around.positions.tolist() == [[1, 2, 3, 4], [1, 2, 0, 0]] and around.longest == 4
    assert around.padding.tolist() == [[False] * 4, [False, False, True, True]]
    x = torch.zeros(2, 4, 8)
    assert around.batch(x) is x and around.row(x) is x


def test_of_packed_inputs():
    inputs = [Input(TOKENS), Input(TOKENS[:, :2])]
    around = Surroundings.of(inputs, pack(inputs, 1), 1)
    assert around.positions.tolist() == [[1, 2, 1, 2, 1, 2, 1, 2, 3, 4]] and around.longest == 4
    assert around.batch(torch.zeros(10, 8)).shape == (1, 10, 8) and around.row(torch.zeros(1, 10, 8)).shape == (10, 8)


def test_what_layers_share_is_made_once():
    around, made = Surroundings.of([Input(TOKENS)], None, 1), []
    for _ in range(3):
        around.once(lambda: made.append(1))
    assert made == [1]
