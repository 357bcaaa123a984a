"""Half precision in several gloo processes: equal to one process with all pairs; overflow; resuming."""

import itertools
import math
import os
import shutil
import tempfile
from pathlib import Path

import pytest
import torch
from support.processes import run_workers
from support.small import block, diagonal, pair
from support.trials import LEXICON, OWN, make_trainer

from xalign_fairseq.data.batches import collate
from xalign_fairseq.objectives.presets import PRESETS

pytestmark = pytest.mark.slow
OPTIONS = {
    "moco": {"moco_queue_size": 8, "moco_queue_init": "random"},
    "word_contrastive": {"word_contrastive_gather": True},
    "dwa": {"dwa_start_update": 0},
}
PRECISIONS = ("--fp16", "--memory-efficient-fp16", "--bf16")
# With so large an eps, Adam's steps are proportional to the gradient: weights show differences of gradients.
STEPS = ("--optimizer", "adam", "--adam-eps", 1000, "--lr", 500, "--fp16-init-scale", 4, "--clip-norm", 1)
TOLERANCE = {"--fp16": 0.03, "--memory-efficient-fp16": 0.1, "--bf16": 0.15}
PAPERS = tuple(PRESETS)
# Maps edited between updates, which a float32 copy would undo: allowed only in memory-efficient precision.
EDITING = ("linear_mapping",)
# The rest of the batch changes a pair's loss, through targets of other pairs or negative words.
OF_ITS_BATCH = ("psi", "explicit_alignments")
CASES = [
    (name, precision)
    for name, precision in itertools.product((*OWN, *PAPERS), PRECISIONS)
    if name not in EDITING or precision == "--memory-efficient-fp16"
]
PAIRS, UPDATES = 8, 2


def build(name, precision, rank, count):
    """The trainer of one objective, each with a weight of one prediction, or of a paper's preset."""
    known = {} if name in PAPERS else {"objectives": name}
    if name in ("reg_param", "reg_hidden", "lexicon_align"):  # these train nothing alone, or read no text
        known["objectives"] = f"tlm,{name}"
    chosen = {**known, **OPTIONS.get(name, {})} if name not in PAPERS else name
    torch.manual_seed(0)
    return make_trainer("legacy_ddp", rank, count, "per-objective", chosen, (precision, *STEPS), lexicons=[LEXICON])


def share(rank, count, update):
    """The pairs of a worker: every n-th, in order."""
    numbers = range(rank * PAIRS // count, (rank + 1) * PAIRS // count)
    pairs = [pair(3 + k % 3, 2 + k % 4, diagonal(3 + k % 3, 2 + k % 4), seed=k + 100 * update) for k in numbers]
    return collate(pairs, [block(k + 100 * update) for k in numbers])


def weights(trainer):
    return torch.cat([each.detach().float().flatten() for each in trainer.get_model().parameters()])


def train(trainer, rank, count, updates=range(UPDATES)):
    """The loss of each update."""
    return [float(trainer.train_step([share(rank, count, update)])["loss"]) for update in updates]


def trained(name, precision, rank, count):
    trainer = build(name, precision, rank, count)
    begun = weights(trainer)
    losses = train(trainer, rank, count)
    assert trainer.get_num_updates() == UPDATES
    return losses, weights(trainer), begun


def worker_of_four(rank):
    return {case: trained(*case, rank, 4) for case in CASES}


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    return run_workers(worker_of_four, 4, tmp_path_factory.mktemp("workers"))


@pytest.fixture(scope="module")
def alone():
    """The results of one process with all pairs, by case."""
    return {case: trained(*case, 0, 1) for case in CASES}


@pytest.mark.parametrize("case", CASES, ids="".join)
def test_updates_are_those_of_one_process_with_all_pairs(workers, alone, case):
    name, precision = case
    losses, found, begun = workers[0][case]
    assert all(map(math.isfinite, losses)) and found.isfinite().all()
    assert all(torch.equal(found, other[case][1]) for other in workers[1:])
    expected_losses, expected, start = alone[case]
    assert torch.equal(begun, start)
    moved = (expected - start).norm()
    assert moved > 0
    if name not in OF_ITS_BATCH:
        assert losses == pytest.approx(expected_losses, rel=TOLERANCE[precision], abs=1e-2)
        assert (found - expected).norm() < TOLERANCE[precision] * moved


def overflowing(rank):
    """The first update overflows only in the second process; the weights and scales after each."""
    found = {}
    for precision in PRECISIONS[:2]:
        trainer = build("tlm", precision, rank, 2)
        begun, optimizer = weights(trainer), trainer.optimizer
        backward = optimizer.backward
        if rank == 1:
            optimizer.backward = lambda loss, own=backward: own(loss * float("inf"))
        trainer.train_step([share(rank, 2, 0)])
        optimizer.backward = backward
        assert trainer.get_num_updates() == 0 and trainer.left_out and torch.equal(weights(trainer), begun)
        scale = float(optimizer.scaler.loss_scale)
        train(trainer, rank, 2, [0])
        found[precision] = scale, trainer.get_num_updates(), weights(trainer)
    return found


def test_an_overflow_in_one_process_leaves_the_update_out_in_all(tmp_path):
    both = run_workers(overflowing, 2, tmp_path)
    for precision in PRECISIONS[:2]:
        (scale, updates, found), other = both[0][precision], both[1][precision]
        assert (scale, updates) == other[:2] == (2, 1) and torch.equal(found, other[2])
        trainer = build("tlm", precision, 0, 1)
        start = weights(trainer)
        train(trainer, 0, 1, [0])
        moved = (weights(trainer) - start).norm()
        assert (found - weights(trainer)).norm() < TOLERANCE[precision] * moved


def resuming(rank, count, begins):
    """Two updates of ``xlm_align``: the first of two processes, or the second of others from their checkpoint."""
    # All workers are forked from one server.
    folder, found = Path(tempfile.gettempdir()) / f"resumed-{os.getppid()}", {}
    folder.mkdir(exist_ok=True)
    for precision in PRECISIONS:
        trainer, path = build("xlm_align", precision, rank, count), str(folder / f"checkpoint{precision}.pt")
        if begins:
            train(trainer, rank, count, [0])
            trainer.consolidate_optimizer()
            place = {"version": 2, "epoch": 1, "iterations_in_epoch": 1}
            trainer.save_checkpoint(path, {"train_iterator": place, "val_loss": None})
        else:
            trainer.load_checkpoint(path)
            assert trainer.get_num_updates() == 1
            train(trainer, rank, count, [1])
        found[precision] = weights(trainer)
    return found, str(folder)


def begun_by_two(rank):
    return resuming(rank, 2, True)


def resumed_by_four(rank):
    return resuming(rank, 4, False)


def test_another_number_of_processes_resumes(tmp_path):
    (tmp_path / "two").mkdir(), (tmp_path / "four").mkdir()
    _, folder = run_workers(begun_by_two, 2, tmp_path / "two")[0]
    four = run_workers(resumed_by_four, 4, tmp_path / "four")
    for precision in PRECISIONS:
        one, whole = (build("xlm_align", precision, 0, 1) for _ in range(2))
        start = weights(whole)
        train(whole, 0, 1)
        one.load_checkpoint(f"{folder}/checkpoint{precision}.pt")
        train(one, 0, 1, [1])
        moved = (weights(whole) - start).norm()
        assert all(torch.equal(each[0][precision], four[0][0][precision]) for each in four)
        for found in (weights(one), four[0][0][precision]):
            assert (found - weights(whole)).norm() < TOLERANCE[precision] * moved
    shutil.rmtree(folder)
