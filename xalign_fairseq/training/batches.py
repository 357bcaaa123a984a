"""The batches of data-bins for your own training loop, identical to ``fairseq-train``'s."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.data.pretraining import PretrainingData, Reader
from xalign_fairseq.data.streams_dataset import StreamsDataset
from xalign_fairseq.objectives.gathering import worker


class Batches(IterableDataset[dict[str, Any]]):
    """Batches of a split; training batches are endless, in an order determined by seed and epoch.

    Every draw depends only on (seed, epoch, index), so any number of data workers can continue from a state with the
    same batches. torchdata's ``StatefulDataLoader(batches, batch_size=None, num_workers=...)`` and torch's own
    ``DataLoader`` read them too, in the same order; a state of ``StatefulDataLoader`` needs the same number of workers.

    Args:
        data: the data-bins.
        reader: a model's :attr:`~xalign_fairseq.training.alignment_model.AlignmentModel.reader`.
        split: ``train``, or another split, which is read once in stored order.
        max_tokens: tokens of the pairs of a batch, padding included.
        batch_size: pairs of a batch, with or without a limit of tokens.
        required_batch_size_multiple: the number of pairs is a multiple of this, if possible.
        num_workers: processes that prefetch.
        share: (rank, number of processes), the share of the batches to read; default: torch.distributed's.

    Raises:
        XalignError: the data lack required streams, batches have no limit, or an option has an invalid value.

    Example::

        batches = Batches(data, model.reader, max_tokens=4096, num_workers=2)
        for update, batch in zip(range(1000), batches):
            ...
        torch.save(batches.state_dict(), "place.pt")    # the next run begins with batches.load_state_dict(...)
    """

    def __init__(
        self,
        data: PretrainingData,
        reader: Reader,
        split: str = "train",
        *,
        max_tokens: int | None = None,
        batch_size: int | None = None,
        required_batch_size_multiple: int = 8,
        num_workers: int = 0,
        share: tuple[int, int] | None = None,
    ):
        super().__init__()
        if not max_tokens and not batch_size:
            raise XalignError("batches have no size limit", where="Batches", expected="max_tokens, batch_size or both")
        limits = {
            "max_tokens": max_tokens,
            "batch_size": batch_size,
            "required_batch_size_multiple": required_batch_size_multiple,
        }
        check_values(
            "an option has an invalid value",
            *((name, x, x is None or 1 <= x == int(x), "a whole number above 0") for name, x in limits.items()),
            ("share", share, share is None or 0 <= share[0] < share[1], "(rank from 0, number of processes)"),
        )
        self.data, self.reader, self.split = data, reader, split
        self.limits: dict[str, Any] = limits
        self.num_workers, self._given = num_workers, share
        if self.training:
            data.require(reader)
        # The epoch, its finished batches at the start of the iteration, and this process's batches since then.
        self.epoch, self._before, self._done = 1, 0, 0
        self._goes_on = False  # from a loaded state

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_given": (self.rank, self.world_size)}  # a spawned data worker isn't connected

    @property
    def rank(self) -> int:
        return (self._given or worker())[0]  # torch.distributed may be initialised after the batches

    @property
    def world_size(self) -> int:
        return (self._given or worker())[1]

    @property
    def training(self) -> bool:
        """Whether batches are endless and drawn again in each epoch."""
        return self.split == "train"

    def state_dict(self) -> dict[str, Any]:
        """The position in the data after the last batch."""
        inside = get_worker_info() is not None
        before, done = (self._before, self._done) if inside else (self._before + self._done, 0)
        place = self.data.shards.place(self.epoch)
        shard = {"epoch": self.epoch, "shard": place["index"], "visits": place["visits"]}
        return {**shard, "batch": before, "done": done, "run": self._run()}

    def _run(self) -> dict[str, Any]:
        """What the batches of an epoch depend on, except for the data and the model."""
        reading = {name: value for name, value in vars(self.data.options).items() if not name.startswith("mask_")}
        return {"world_size": self.world_size, "seed": self.data.seed, **self.limits, **reading}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of a run with the same options, but any number of data workers."""
        run, stored = self._run(), state["run"]
        check_values(
            "this is the state of other batches",
            *((name, value, value == stored[name], str(stored[name])) for name, value in run.items()),
        )
        self.epoch, self._before, self._done = state["epoch"], state["batch"], state["done"]
        self._goes_on = True
        self.data.shards.go_on(self.epoch, state["shard"], state["visits"])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        # Splits other than training restart from the beginning, also after an interruption.
        if not (self.training or self._goes_on):
            self._before = self._done = 0
        self._goes_on = False
        while True:
            yield from self._rest_of_epoch()
            if not self.training:
                self._before = self._done = 0
                return
            self.epoch, self._before, self._done = self.epoch + 1, 0, 0

    def _rest_of_epoch(self) -> Iterator[dict[str, Any]]:
        dataset = self.data.dataset(StreamsDataset, self.split, self.reader, self.epoch)
        batches, whole = self._share(dataset)
        inside = get_worker_info()
        number, workers = (inside.id, inside.num_workers) if inside else (0, 1)
        mine = batches[self._before + number :: workers][self._done :]
        processes = 0 if inside else self.num_workers
        ignored: deque[bool] = deque()

        @cache
        def stand_in() -> np.ndarray:
            return next(batch for batch in chain(batches, whole) if len(batch))  # of all if this share is empty

        def own() -> Iterator[list[int]]:
            # If a share lacks a batch at the end of an epoch, its first batch replaces it, with count 0.
            for batch in mine:
                ignored.append(len(batch) == 0)
                yield (batch if len(batch) else stand_in()).tolist()

        # A loader draws a seed from torch's generator. A resumed loader must not draw again, so that dropout continues;
        # a validation loader must never draw, so that training's draws stay.
        again = torch.Generator() if self._before + self._done or not self.training else None
        loader = DataLoader(
            dataset, batch_sampler=own(), collate_fn=dataset.collater, num_workers=processes, generator=again
        )
        for sample in loader:
            self._done += 1
            yield {**sample, "ignored": True} if ignored.popleft() else sample

    def _share(self, dataset: StreamsDataset) -> tuple[Sequence[np.ndarray], Sequence[np.ndarray]]:
        """This rank's batches (with an empty one at the end if other ranks have one more), and all batches."""
        dataset.set_epoch(self.epoch)
        batches = dataset.batch_by_size(dataset.ordered_indices(), *self.limits.values())
        if self.training:
            # fairseq orders batches by this generator.
            np.random.RandomState(self.data.seed + self.epoch).shuffle(batches)
        each = -(-len(batches) // self.world_size)
        mine = batches[self.rank :: self.world_size]
        return mine + [np.empty(0, dtype=np.int64)] * (each - len(mine)), batches
