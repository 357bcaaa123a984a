"""The two linear maps with a ReLU between them, by hand."""

import torch

from xalign_fairseq.encoder.projection import Projection


def test_by_hand():
    projection = Projection(2, 3).double()
    with torch.no_grad():
        projection.inner.weight.copy_(torch.tensor([[1.0, 2.0], [1.0, -1.0]]))
        projection.outer.weight.copy_(torch.tensor([[1.0, 10.0], [2.0, 0.0], [0.0, -1.0]]))
    # (1, 2) -> (5, -1) -> ReLU (5, 0); (2, -1) -> (0, 3)
    found = projection(torch.tensor([[1.0, 2.0], [2.0, -1.0]], dtype=torch.float64))
    assert found.tolist() == [[5.0, 10.0, 0.0], [30.0, 0.0, -3.0]]


def test_there_are_no_biases():
    assert set(Projection(4, 2).state_dict()) == {"inner.weight", "outer.weight"}
    assert not Projection(4, 2)(torch.zeros(1, 4)).any()


def test_states_of_another_dtype_are_taken_in_that_of_the_weights():
    torch.manual_seed(0)
    projection = Projection(4, 2)
    states = torch.randn(3, 4, dtype=torch.bfloat16)
    found = projection(states)
    assert found.dtype == torch.float32 and torch.equal(found, projection(states.float()))
