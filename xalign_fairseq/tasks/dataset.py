"""The dataset of pre-training as fairseq's trainer iterates it."""

from typing import Any

import numpy as np
from fairseq.data import FairseqDataset

from xalign_fairseq.data.streams_dataset import StreamsDataset


class FairseqStreams(StreamsDataset, FairseqDataset):
    """:class:`~xalign_fairseq.data.streams_dataset.StreamsDataset` with what fairseq asks for besides."""

    @property
    def can_reuse_epoch_itr_across_epochs(self) -> bool:
        """Each epoch of training has its own draws."""
        return not self.training

    def filter_indices_by_size(self, indices: np.ndarray, max_sizes: Any) -> tuple[np.ndarray, list[int]]:
        """Over-long pairs are left out, and counted, when the epoch is drawn: nothing is left to filter."""
        return indices, []

    def num_tokens(self, index: int) -> int:
        """Length of one item."""
        return int(self.num_tokens_vec(np.array([index]))[0])

    size = num_tokens
