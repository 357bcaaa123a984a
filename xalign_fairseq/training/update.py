"""The number of predictions of each objective in an update, over all micro-batches and workers."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.objectives.gathering import all_sum
from xalign_fairseq.objectives.registry import Objective


class UpdateCounts:
    """The counts N_k of an update, over which ``per-objective`` normalisation takes each loss.

    fairseq goes backward after every micro-batch and divides the gradient once, by the sum S of sample sizes. To give
    sum_k w_k (sum of L_k over all micro-batches and workers) / N_k, each micro-batch has sample size 1, one that a
    worker lacks 0, and its losses over N_k / S, the count of an average micro-batch. N_k has to be known before the
    first one is run:

    - objectives that count ahead are asked for all micro-batches when the update begins, and workers add up;
    - of the others, whose count depends on the model, workers add up as each micro-batch is run, and an update has the
      mean over its micro-batches, each with equal weight.

    Without :meth:`begin` the batch is the whole update.

    Attributes:
        ignored: the micro-batch only stands in for one that this worker lacks at the end of an epoch.

    Example::

        counts.begin(samples, device)                       # by the trainer, once an update
        average = counts.average(torch.stack([4, 5, 1]))    # by the criterion, in every micro-batch
    """

    def __init__(self, objectives: Sequence[Objective]):
        self.objectives = objectives
        self.ignored = False
        self._micro_batches = 0
        self._sums: Tensor | None = None

    def begin(self, samples: Sequence[Mapping[str, Any] | None], device: torch.device) -> None:
        """Count ahead in the micro-batches of this worker, on the host, which are empty where it lacks one."""
        batches = [Batch.from_sample(dict(sample)) for sample in samples if sample]
        ahead = [sum(_count(objective, batch) for batch in batches) for objective in self.objectives]
        self._micro_batches = len(samples)
        self._sums = all_sum(torch.tensor([len(batches), *ahead]).to(device, non_blocking=True))

    @property
    def size(self) -> Tensor:
        """S, the number of micro-batches that all workers have, of an update that was begun."""
        assert self._sums is not None
        return self._sums[0]

    @property
    def predictions(self) -> Tensor:
        """(K,) predictions of each objective in all micro-batches of all workers, of those that count ahead."""
        assert self._sums is not None
        return self._sums[1:]

    def average(self, counts: Tensor) -> Tensor:
        """N_k / S (K,), 1 where there is nothing, from the counts (K,) of the micro-batch that is run."""
        if self._sums is None:
            return counts.clamp(min=1)
        size, whole = self._sums[0], self._sums[1:]
        if not all(objective.traits.counts_ahead for objective in self.objectives):
            now = self._micro_batches * all_sum(torch.zeros_like(counts) if self.ignored else counts)
            both = zip(self.objectives, whole, now, strict=True)
            whole = torch.stack([known if objective.traits.counts_ahead else run for objective, known, run in both])
        return torch.where(whole > 0, whole.double() / size, 1.0)


def _count(objective: Objective, batch: Batch) -> int:
    needed = batch.only(objective.traits.needs) if objective.traits.counts_ahead else None
    return 0 if needed is None else objective.count(needed)
