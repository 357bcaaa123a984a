"""An update in which one of two processes lacks its last micro-batch, as at the end of an epoch."""

from types import SimpleNamespace

import pytest
import torch
from support.processes import run_workers
from support.small import block, diagonal, pair
from support.trials import make_trainer

from xalign_fairseq.data.batches import collate
from xalign_fairseq.trainer.compat.lacking_batches import _counted, needed

CHOSEN = {"objectives": "mlm,tlm"}
NORMALIZATIONS = ("joint", "per-objective")


def part(number):
    """A micro-batch, none of which is like another."""
    n, m = ((5, 7), (3, 2), (9, 6))[number]
    return collate([pair(n, m, diagonal(n, m))], [block(number, 8 + 3 * number)])


def update(trainer, samples):
    """The gradient that the optimizer steps by, and what is logged."""
    logs = trainer.train_step(samples)
    return torch.cat([p.grad.flatten() for p in trainer.get_model().parameters()]), logs


def worker(rank):
    """The first worker has two micro-batches and the second one; of either normalisation."""
    found = []
    for normalization in NORMALIZATIONS:
        trainer = make_trainer("legacy_ddp", rank, 2, normalization, CHOSEN)
        trainer.reset_dummy_batch(part(0))
        found.append(update(trainer, [part(0), part(1)] if rank == 0 else [part(2), {}]))
    return found


def test_an_update_is_that_of_the_micro_batches_that_are_there(tmp_path):
    both = run_workers(worker, 2, tmp_path)
    for number, normalization in enumerate(NORMALIZATIONS):
        gradient, logs = update(make_trainer("legacy_ddp", 0, 1, normalization, CHOSEN), [part(0), part(1), part(2)])
        for found, logged in (of_worker[number] for of_worker in both):
            torch.testing.assert_close(found, gradient, rtol=1e-4, atol=1e-6)
            assert {name: logged[name] for name in ("loss", "mlm_loss", "tlm_loss")} == pytest.approx(
                {name: logs[name] for name in ("loss", "mlm_loss", "tlm_loss")}
            )


class Trainer:
    """Adds up sizes and logs of micro-batches, as fairseq's does."""

    def __init__(self):
        self.task, self.run = SimpleNamespace(train_step=self.step), []

    def step(self, sample, ignore_grad=False):
        self.run.append(sample)
        return "loss", torch.tensor(5), {"loss": torch.tensor(float("nan") if ignore_grad else 2.0), "n": 3, "of": "x"}

    @_counted
    def train_step(self, samples, raise_oom=False):
        return [self.task.train_step(sample, ignore_grad=not sample) for sample in samples]


def test_what_is_lacking_comes_first_and_counts_nothing():
    trainer, samples = Trainer(), [{"a": 1}, {"b": 1}, {}, None]
    step = trainer.task.train_step
    found = trainer.train_step(samples, raise_oom=True)
    assert trainer.run == samples == [{}, None, {"a": 1}, {"b": 1}]
    assert [(int(size), float(logs["loss"]), logs["n"], logs["of"]) for _, size, logs in found] == [
        (0, 0.0, 0, "x"), (0, 0.0, 0, "x"), (5, 2.0, 3, "x"), (5, 2.0, 3, "x"),
    ]  # fmt: skip
    assert trainer.task.train_step == step  # the task is left as it was


def test_it_is_needed_with_this_fairseq():
    assert needed()
