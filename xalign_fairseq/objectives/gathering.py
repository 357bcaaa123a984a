"""Exchange between workers: sums, and rows with gradient for losses with negatives from all workers."""

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


def worker() -> tuple[int, int]:
    """The rank of this worker, and the number of workers; (0, 1) without torch.distributed."""
    return (dist.get_rank(), dist.get_world_size()) if dist.is_available() and dist.is_initialized() else (0, 1)


def gather_sizes(count: int, device: torch.device) -> list[int]:
    """The number of rows of each worker, by rank; [count] without torch.distributed.

    With several workers the host waits for the device; call this before the device has much to do.
    """
    _, workers = worker()
    if workers == 1:
        return [count]
    own = torch.full((1,), count, dtype=torch.int64, device=device)
    sizes = [torch.zeros_like(own) for _ in range(workers)]
    dist.all_gather(sizes, own)
    return torch.cat(sizes).tolist()


def own_start(sizes: Sequence[int]) -> int:
    """The position of this worker's first row among all rows."""
    return sum(sizes[: worker()[0]]) if len(sizes) > 1 else 0


def all_sum(numbers: Tensor) -> Tensor:
    """The sums over all workers of ``numbers`` (...), without gradient; every worker must call it."""
    numbers = numbers.detach().clone()
    if worker()[1] > 1:
        dist.all_reduce(numbers)
    return numbers


def all_gather_rows(rows: Tensor, sizes: Sequence[int]) -> Tensor:
    """The rows of all workers (N, ...), by rank, from each worker's rows (n, ...); n may differ and may be 0.

    The gradient of a row is the sum over all workers' losses. Every worker must call this function and run its backward
    pass, in the same order. With the size of one worker it is the identity.
    """
    if len(sizes) == 1:
        return rows
    gathered: Tensor = _AllGather.apply(rows, list(sizes))  # type: ignore[no-untyped-call]
    return gathered


class _AllGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, sizes: list[int]) -> Tensor:
        ctx.start, ctx.count = own_start(sizes), len(rows)
        padded = rows.new_zeros(max(sizes), *rows.shape[1:])  # collectives need equal shapes
        padded[: len(rows)] = rows
        each = [torch.empty_like(padded) for _ in sizes]
        dist.all_gather(each, padded)
        return torch.cat([part[:size] for part, size in zip(each, sizes, strict=True)])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        total = gradients[0].clone(memory_format=torch.contiguous_format)
        dist.all_reduce(total)
        return total[ctx.start : ctx.start + ctx.count], None
