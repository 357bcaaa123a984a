"""Which tokens of a pair sequence belong to the target."""

import torch

from xalign_fairseq.data.inputs import Input, in_target


def test_the_target_begins_after_the_end_of_the_source():
    # <s> a a </s> x </s> <pad>; <s> a </s> x x x </s>; <s> </s> x </s> <pad> <pad> <pad>
    spans = torch.tensor([[1, 3, 4, 5], [1, 2, 3, 6], [1, 1, 2, 3]])
    assert in_target(spans, 7).int().tolist() == [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1]]


def test_inputs_of_equal_tokens_are_two_inputs():
    tokens = torch.zeros(1, 2, dtype=torch.int64)
    one, other = Input(tokens), Input(tokens)
    assert one != other and len({one, other}) == 2  # passes are shared by what is read, not by its values
    assert (one.languages, one.positions, one.lengths) == (None, None, None)
