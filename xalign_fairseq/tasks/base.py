"""What the tasks share: fairseq's methods of a dataset, and the state of a task."""

from typing import Any

import numpy as np
from fairseq.data import FairseqDataset
from fairseq.tasks import FairseqTask

from xalign_fairseq.data.streams_dataset import StreamsDataset


class DrawnDataset(FairseqDataset):
    """fairseq's methods of a dataset that draws its items again in each epoch of training."""

    training: bool

    @property
    def can_reuse_epoch_itr_across_epochs(self) -> bool:
        return not self.training

    def filter_indices_by_size(self, indices: np.ndarray, max_sizes: object) -> tuple[np.ndarray, list[int]]:
        """Nothing to filter: pairs that are too long are already left out and counted, and windows fit the encoder."""
        return indices, []

    def num_tokens(self, index: int) -> int:
        return int(self.num_tokens_vec(np.array([index]))[0])

    size = num_tokens


class FairseqStreams(StreamsDataset, DrawnDataset):
    """:class:`~xalign_fairseq.data.streams_dataset.StreamsDataset` with fairseq's methods."""


class XalignTask(FairseqTask):
    """fairseq's task; ``from_checkpoint``: weights will be loaded."""

    def __init__(self, cfg: object, from_checkpoint: bool = False):
        super().__init__(cfg)
        self.restoring = from_checkpoint
        self.lasting: dict[str, Any] = {}
