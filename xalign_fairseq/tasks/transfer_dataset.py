"""The dataset of a transfer task: encoded examples in batches of similar length."""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
from fairseq.data import data_utils

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.tasks.base import DrawnDataset
from xalign_fairseq.transfer.family import EncodedExample, TaskFamily, make_batch

logger = logging.getLogger(__name__)
# Batches are random; examples are sorted by length within this number of batches, which saves padding.
SORTED_BATCHES = 50


class TransferDataset(DrawnDataset):
    """Items are groups of examples for the same batch: single examples, or code-switching mixtures.

    Every draw is keyed by (seed, epoch), so a resumed run has the batches of an uninterrupted one. Validation data are
    ordered by length.
    """

    def __init__(
        self,
        groups: Sequence[tuple[Any, ...]],
        family: TaskFamily[Any],
        config: EncoderConfig,
        seed: int,
        training: bool,
    ):
        super().__init__()
        self.groups, self.family, self.config, self.seed, self.training = groups, family, config, seed, training
        self.encoded: list[list[EncodedExample]] = [[family.encode(example) for example in group] for group in groups]
        self.sizes = np.array([sum(each.tokens for each in group) for group in self.encoded], dtype=np.int64)
        self.each = max((len(group) for group in groups), default=1)
        self.now = 1
        flat = [each for group in self.encoded for each in group]
        cut = sum(each.cut > 0 for each in flat)
        if cut:
            limit = Parameter("max_length", family.limits.tokens)
            logger.warning("%d of %d examples lost tokens to %s", cut, len(flat), limit)

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, index: int) -> int:
        return int(index)

    def set_epoch(self, epoch: int) -> None:
        self.now = epoch

    def collater(self, samples: Sequence[int]) -> dict[str, Any]:
        """Collate items into a batch with its windows' languages; in validation also the examples, for the metric."""
        if not samples:  # a worker without a batch
            return {}
        encoded = [each for i in samples for each in self.encoded[i]]
        examples = tuple(example for i in samples for example in self.groups[i])
        sample = make_batch(self.family, self.config, examples, encoded)
        sample |= {"nsentences": len(encoded), "ntokens": sum(each.tokens for each in encoded)}
        if not self.training:
            sample["examples"] = examples
        return sample

    def ordered_indices(self) -> np.ndarray:
        """A random order in training, otherwise by length."""
        if self.training:
            return np.random.default_rng((self.seed, self.now)).permutation(len(self))
        return np.argsort(self.sizes, kind="stable")

    def batch_by_size(
        self,
        indices: np.ndarray,
        max_tokens: int | None = None,
        max_sentences: int | None = None,
        required_batch_size_multiple: int = 1,
    ) -> list[np.ndarray]:
        """Batches of ``--batch-size`` examples; ``--required-batch-size-multiple`` leaves out no example."""
        items = max(1, max_sentences // self.each) if max_sentences else None
        if self.training and items:
            pools = np.split(indices, range(items * SORTED_BATCHES, len(indices), items * SORTED_BATCHES))
            indices = np.concatenate([pool[np.argsort(self.sizes[pool], kind="stable")] for pool in pools])
        longest = int(self.sizes[indices].max(initial=0))
        if max_tokens and longest > max_tokens:
            problem, expected = "an example is longer than a batch", f"at least {longest}"
            raise XalignError(problem, parameter="max_tokens", found=max_tokens, expected=expected)
        batches: list[np.ndarray] = data_utils.batch_by_size(
            indices,
            num_tokens_fn=self.num_tokens,
            num_tokens_vec=self.num_tokens_vec(indices),
            max_tokens=max_tokens,
            max_sentences=items,
            required_batch_size_multiple=1,
        )
        return batches

    def num_tokens_vec(self, indices: np.ndarray) -> np.ndarray:
        return np.asarray(self.sizes[indices])
