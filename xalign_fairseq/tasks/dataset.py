"""The methods that fairseq calls on every task and on the dataset of pre-training."""

from typing import Any

import numpy as np
from fairseq.data import FairseqDataset
from fairseq.tasks import FairseqTask

from xalign_fairseq.data.streams_dataset import StreamsDataset


class FairseqStreams(StreamsDataset, FairseqDataset):
    """:class:`~xalign_fairseq.data.streams_dataset.StreamsDataset` with fairseq's other methods."""

    @property
    def can_reuse_epoch_itr_across_epochs(self) -> bool:
        return not self.training

    def filter_indices_by_size(self, indices: np.ndarray, max_sizes: object) -> tuple[np.ndarray, list[int]]:
        """Over-long pairs are left out, and counted, when the epoch is drawn: nothing is left to filter."""
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
        """Called by fairseq; ``from_checkpoint``: weights are about to be loaded."""
        return cls(cfg, restoring=bool(kwargs.get("from_checkpoint")))

    @property
    def source_dictionary(self) -> None:
        """fairseq's own dictionary class is not used."""
        return None

    target_dictionary = source_dictionary

    def max_positions(self) -> None:
        """No limit."""
        return None
