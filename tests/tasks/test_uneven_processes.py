"""Every objective in four processes, some without links, pairs or any data: none waits, all stay equal."""

import itertools
import math

import pytest
import torch
from support.processes import run_workers
from support.small import block, diagonal, pair
from support.trials import BACKENDS, LEXICON, OWN, make_trainer

from xalign_fairseq.data.batches import collate

pytestmark = pytest.mark.slow
OPTIONS = {
    "moco": {"moco_queue_size": 64, "moco_queue_init": "random"},
    "word_contrastive": {"word_contrastive_gather": True},
}
CASES = list(itertools.product(OWN, BACKENDS))
# Objectives that exchange pairs between processes, or edit parameters with them, need some of each.
NEED_PAIRS = ("linear_mapping", "moco", "word_contrastive")
UPDATES = 2
WORKERS = 4


def samples(rank, update, name):
    """The update of a worker: pairs with or without links; only blocks, or, after a first batch, nothing."""
    pairs = [
        pair(n, m, diagonal(n, m) if rank == 0 else None, langs=(0, 1), seed=rank + 10 * update)
        for n, m in ((5, 4), (3, 6), (4, 4))
    ]
    if rank == 3 and update:
        return [{}]
    return [collate([] if rank == 2 and update and name not in NEED_PAIRS else pairs, [block(rank + 10 * update)])]


def worker(rank):
    """The weights after some updates, and the losses, of each case."""
    found = {}
    for name, backend in CASES:
        chosen = {"objectives": name, **OPTIONS.get(name, {})}
        trainer = make_trainer(backend, rank, WORKERS, "per-objective", chosen, lexicons=[LEXICON])
        trainer.reset_dummy_batch(samples(rank, 0, name)[0])  # the epoch's first batch, for workers without one
        losses = []
        for update in range(UPDATES):
            losses.append(float(trainer.train_step(samples(rank, update, name))["loss"]))
        weights = torch.cat([p.detach().flatten() for p in trainer.get_model().parameters()])
        found[name, backend] = weights, losses
    return found


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    return run_workers(worker, WORKERS, tmp_path_factory.mktemp("workers"))


@pytest.mark.parametrize("name", OWN)
def test_no_process_waits_for_another_and_all_have_the_same_weights(workers, name):
    for backend in BACKENDS:
        first, losses = workers[0][name, backend]
        assert all(math.isfinite(loss) for loss in losses) and first.isfinite().all()
        for other in workers[1:]:
            assert torch.equal(first, other[name, backend][0])
    one, other = (workers[0][name, backend][0] for backend in BACKENDS)
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)
