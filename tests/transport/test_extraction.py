import pytest
import torch

from xalign_fairseq.transport.extraction import find_links, link_probability

PLAN = [[0.90, 0.55, 0.10, 0.30], [0.40, 0.60, 0.50, 0.10], [0.10, 0.50, 0.30, 0.25]]
# Forward 0-0 1-1 2-1; backward 0-0 1-1 1-2 0-3.
MUTUAL = {(0, 0), (1, 1)}
# Second round, released: both tokens of 0-1 and 1-0 are linked, so these weigh 0; 0-3, 1-2 and 2-1 weigh 0.9.
RELEASED = MUTUAL | {(0, 3), (1, 2), (2, 1)}
# Second round, Eq. 9: 0-1 is only discounted (0.495), beats 0-3 (0.27) in its row and 2-1 (0.45) in its column.
PRINTED = MUTUAL | {(0, 1), (1, 2)}
# Third round, Eq. 9 in place: 0-3 is discounted twice (0.243) and loses column 3 to the untouched 2-3 (0.25).
PRINTED_TWICE = PRINTED | {(1, 0), (2, 1)}


def links_of(rows, **options):
    plan = torch.tensor([rows])
    full = torch.ones(plan.shape[:2], dtype=torch.bool), torch.ones(plan.shape[::2], dtype=torch.bool)
    return {tuple(link) for link in find_links(plan, *full, **options)[0].nonzero().tolist()}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"filter": "argmax"}, MUTUAL),
        ({"filter": "itermax", "rounds": 1}, MUTUAL),
        ({"filter": "itermax-paper", "rounds": 1}, MUTUAL),
        ({}, RELEASED),
        ({"rounds": 5}, RELEASED),  # every source token is linked: nothing more
        ({"alpha": 0.5}, MUTUAL | {(2, 2)}),  # 2-2 (0.3) now beats 2-1 and 1-2 (0.25)
        ({"filter": "itermax-paper"}, PRINTED),
        ({"filter": "itermax-paper", "rounds": 3}, PRINTED_TWICE),
        ({"filter": "union"}, MUTUAL | {(2, 1), (1, 2), (0, 3)}),
    ],
)
def test_hand_worked_three_by_four(options, expected):
    assert links_of(PLAN, **options) == expected


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_ties_go_to_the_lowest_index(dtype):
    plan = torch.ones(1, 4, 40, dtype=dtype)
    mask = torch.ones(1, 4, dtype=torch.bool), torch.ones(1, 40, dtype=torch.bool)
    assert find_links(plan, *mask, filter="argmax").nonzero().tolist() == [[0, 0, 0]]
    union = {(0, j) for j in range(40)} | {(i, 0) for i in range(4)}
    assert {(i, j) for _, i, j in find_links(plan, *mask, filter="union").nonzero().tolist()} == union
    # In the second round 1-1 is the first pair of free tokens.
    assert find_links(plan, *mask).nonzero().tolist() == [[0, 0, 0], [0, 1, 1]]
    assert find_links(plan, *mask, rounds=3).nonzero().tolist() == [[0, 0, 0], [0, 1, 1], [0, 2, 2]]


def test_probability_is_the_geometric_mean_of_both_directions():
    plan = torch.tensor([[[0.3, 0.1], [0.0, 0.6]]], dtype=torch.float64)
    forward, backward = torch.tensor([[0.75, 0.25], [0, 1]]), torch.tensor([[1, 1 / 7], [0, 6 / 7]])
    torch.testing.assert_close(link_probability(plan)[0], (forward * backward).sqrt().double(), rtol=1e-6, atol=0)
    # Scaling a row or a column does not matter to a plan that is already normalised in the other direction.
    torch.testing.assert_close(link_probability(plan * 7), link_probability(plan))
    torch.testing.assert_close(link_probability(torch.full((1, 2, 2), 1e-30)), torch.full((1, 2, 2), 0.5))
