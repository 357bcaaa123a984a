import pytest
import torch
from support.processes import run_workers

import xalign_fairseq

xalign_fairseq.register()

from xalign_fairseq.objectives.gathering import all_gather_rows, gather_sizes, own_start  # noqa: E402

ROWS = (3, 2)


def rows(rank):
    """The rows of one worker."""
    return torch.arange(ROWS[rank] * 4, dtype=torch.float64).view(-1, 2, 2) + 100 * rank


def weights(rank):
    """The weight of each row in each worker's loss."""
    return torch.arange(sum(ROWS), dtype=torch.float64)[:, None, None] * 10**rank


def worker(rank):
    """One worker's view of the others."""
    mine = rows(rank).requires_grad_()
    sizes = gather_sizes(len(mine), mine.device)
    every = all_gather_rows(mine, sizes)
    numbers = all_gather_rows(torch.full((ROWS[rank],), rank), sizes)
    (every * weights(rank)).sum().backward()
    return sizes, own_start(sizes), every.detach(), numbers, mine.grad


def test_workers_see_all_rows_and_get_the_gradient_of_all_losses(tmp_path):
    summed = sum(weights(rank) for rank in range(len(ROWS))).expand(-1, 2, 2)
    every = torch.cat([rows(rank) for rank in range(len(ROWS))])
    for rank, (sizes, start, seen, numbers, gradient) in enumerate(run_workers(worker, len(ROWS), tmp_path)):
        assert sizes == list(ROWS) and start == sum(ROWS[:rank])
        assert torch.equal(seen, every)
        assert numbers.tolist() == [0, 0, 0, 1, 1]
        assert torch.equal(gradient, summed[start : start + ROWS[rank]])


@pytest.mark.parametrize("count", [0, 3])
def test_alone_it_is_the_identity(count):
    mine = torch.randn(count, 2)
    sizes = gather_sizes(len(mine), mine.device)
    assert sizes == [count] and own_start(sizes) == 0 and all_gather_rows(mine, sizes) is mine
