"""fairseq's trainer sums the gradients of several micro-batches before workers exchange them."""

import itertools
from contextlib import nullcontext

import pytest
import torch
import torch.distributed as dist
from support.processes import run_workers
from support.small import block, diagonal, pair
from support.trials import BACKENDS, make_trainer
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

from xalign_fairseq.data.batches import collate

# A layer that no objective reads has a zero gradient in every micro-batch.
CRITERIONS = (
    ("joint", {"objectives": "mlm,tlm,dwa", "dwa_start_update": 0}),
    ("joint", {"objectives": "dwa", "dwa_start_update": 0, "dwa_layer": 1}),
    ("per-objective", {"objectives": "mlm,tlm"}),
)
pytestmark = pytest.mark.slow  # trains in two processes
AVOIDED = ("pytorch_ddp", 0, "at once")  # reduces each micro-batch separately


def micro_batches(count, rank):
    """A worker's own micro-batches."""
    sizes = [(3 + number % 3, 2 + (number + rank) % 4) for number in range(2 * count)]
    pairs = [pair(n, m, diagonal(n, m), seed=number + 10 * rank) for number, (n, m) in enumerate(sizes)]
    return [collate(pairs[k : k + 2], [block(k + rank)]) for k in range(0, 2 * count, 2)]


def worker(rank):
    """The number of reductions in the second update, of one and of four micro-batches, and the weights afterwards."""
    found, calls, reduce = {}, [], dist.all_reduce
    dist.all_reduce = lambda *args, **kwargs: (calls.append(args), reduce(*args, **kwargs))[1]
    for backend, case, micro in [*itertools.product(BACKENDS, range(len(CRITERIONS)), (1, 4)), AVOIDED]:
        trainer = make_trainer(backend, rank, 2, *CRITERIONS[case])
        wrapped = trainer.model.module
        if isinstance(wrapped, torch.nn.parallel.DistributedDataParallel):
            wrapped.register_comm_hook(None, allreduce_hook)  # torch.distributed.all_reduce, which is counted
        if micro == "at once":
            wrapped.no_sync = nullcontext
        for _ in range(2):
            calls.clear()
            trainer.train_step(micro_batches(1 if micro == 1 else 4, rank))
        weights = torch.cat([p.detach().flatten() for p in trainer.get_model().parameters()])
        found[backend, case, micro] = len(calls), weights
    return found


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    return run_workers(worker, 2, tmp_path_factory.mktemp("workers"))


@pytest.mark.parametrize("case", range(len(CRITERIONS)))
@pytest.mark.parametrize("backend", BACKENDS)
def test_micro_batches_cost_no_reduction_of_their_own(both, backend, case):
    (one, _), (four, _) = (both[0][backend, case, micro] for micro in (1, 4))
    assert four == one > 0


def test_reductions_of_each_micro_batch_would_be_counted(both):
    assert both[0][AVOIDED][0] >= both[0][(*AVOIDED[:2], 4)][0] + 3


@pytest.mark.parametrize("case", range(len(CRITERIONS)))
def test_workers_have_the_same_weights_by_either_backend(both, case):
    for backend, micro in itertools.product(BACKENDS, (1, 4)):
        assert torch.equal(both[0][backend, case, micro][1], both[1][backend, case, micro][1])
    for micro in (1, 4):
        first, second = (both[0][backend, case, micro][1] for backend in BACKENDS)
        torch.testing.assert_close(first, second, atol=1e-5, rtol=1e-5)
