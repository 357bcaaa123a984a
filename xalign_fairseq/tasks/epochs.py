"""fairseq's iterator for epochs that do not fit into memory."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from fairseq.data import FairseqDataset
from fairseq.tasks import FairseqTask

from xalign_fairseq.data.streams_dataset import StreamsDataset
from xalign_fairseq.data.windows import Windows, with_samples
from xalign_fairseq.trainer.iterators import TrainIterator


class FairseqStreams(StreamsDataset, FairseqDataset):
    """:class:`~xalign_fairseq.data.streams_dataset.StreamsDataset` with fairseq's methods."""

    @property
    def can_reuse_epoch_itr_across_epochs(self) -> bool:
        return not self.training

    def filter_indices_by_size(self, indices: np.ndarray, max_sizes: object) -> tuple[np.ndarray, list[int]]:
        """Nothing to do: too long pairs are left out and counted when the epoch is drawn."""
        return indices, []

    def num_tokens(self, index: int) -> int:
        return int(self.num_tokens_vec(np.array([index]))[0])

    size = num_tokens


class XalignTask(FairseqTask):
    """fairseq's task without its dictionaries and length limits, which the datasets handle."""

    def __init__(self, cfg: object, restoring: bool = False):
        super().__init__(cfg)
        self.restoring = restoring
        self.lasting: dict[str, Any] = {}

    @classmethod
    def setup_task(cls, cfg: object, **kwargs: object) -> "XalignTask":
        """Called by fairseq; ``from_checkpoint``: weights will be loaded."""
        return cls(cfg, restoring=bool(kwargs.get("from_checkpoint")))

    @property
    def source_dictionary(self) -> None:
        return None

    target_dictionary = source_dictionary

    def max_positions(self) -> None:
        return None


class WindowedEpochIterator(TrainIterator):
    """fairseq's iterator over :class:`Windows` instead of a list, so that not all batches are in memory.

    Batches are shuffled within their window. Batch b belongs to worker b mod ``num_shards``, as in fairseq. A resumed
    run finds its start without reading earlier batches.
    """

    def __init__(self, dataset: FairseqStreams, windows: Windows, **options: object):
        super().__init__(dataset, dataset.collater, lambda dataset, epoch: windows, **options)
        self._windows = windows

    @property
    def frozen_batches(self) -> Sequence[np.ndarray]:
        return self._windows

    @property
    def first_batch(self) -> Any:
        """The batch that fairseq runs for a worker without one."""
        return self.collate_fn([self.dataset[index] for index in with_samples(self._windows)])

    def ordered_batches(self, epoch: int, fix_batches_to_gpus: bool, shuffle: bool) -> Sequence[np.ndarray]:
        together = self.num_shards if self.grouped_shuffling else 1
        windows = self._windows.shuffled(self.seed, epoch, together) if shuffle else self._windows
        return windows.share(self.shard_id, self.num_shards)


def pairs_of_a_batch(dataset: FairseqStreams, batches: Sequence[np.ndarray]) -> float:
    """The average number of pairs of a batch of an epoch."""
    if isinstance(batches, Windows):
        return batches.plan.draws / len(batches)
    indices = np.concatenate([np.zeros(0, dtype=np.int64), *batches])
    return float((indices % len(dataset) < dataset.pairs).sum()) / max(1, len(batches))


def windowed_iterator(
    dataset: FairseqStreams, epoch_batches: Callable[[int, int], int | None], **options: Any
) -> WindowedEpochIterator | None:
    """The iterator of a training epoch; None if the whole epoch is in memory.

    ``epoch_batches``: (epoch, ``num_shards``) -> batches of an epoch given in updates; options as in fairseq.
    """
    epoch = options.get("epoch", 1)
    dataset.set_epoch(epoch)
    limits = options.get("max_tokens"), options.get("max_sentences"), options.get("required_batch_size_multiple", 1)
    windows = dataset.windows(*limits, epoch_batches(epoch, options.get("num_shards", 1)))
    if windows is None:
        return None
    names = ("seed", "num_shards", "shard_id", "num_workers", "epoch", "grouped_shuffling", "skip_remainder_batch")
    taken = {name: options[name] for name in names if name in options}
    return WindowedEpochIterator(dataset, windows, buffer_size=options.get("data_buffer_size", 0), **taken)
