"""The dataset of pre-training: batches that hold pairs and monolingual blocks together."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch.utils.data import Dataset

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import collate
from xalign_fairseq.data.samples import BlockSample, MaskOptions, PairSample, block_sample, pair_sample
from xalign_fairseq.data.sampling import repeats
from xalign_fairseq.data.streams import BITEXT, MONO, BitextStream, MonoStream

logger = logging.getLogger(__name__)
MANY = 0.05  # share of dropped pairs from which a warning is logged


@dataclass(frozen=True)
class DrawOptions:
    """How batches are drawn from the streams."""

    temperature: float = 1.0  # for sampling language pairs and languages
    items: int | None = None  # draws per epoch; None: one for each pair and direction
    mono_tokens: int | None = None  # limits of a batch's monolingual part; None: the limits of the bitext part
    mono_blocks: int | None = None
    bucket_width: int = 1  # lengths in one bucket are batched in random order; 1 sorts by length, 0 ignores lengths
    apart: bool = False  # no training batch contains a pair twice, in either direction
    visit: Callable[[int], int] | None = None  # epoch -> number of earlier epochs that read these streams; None: all


class StreamsDataset(Dataset):
    """Pairs and blocks under one index: pairs first, then blocks.

    An index is a draw of an epoch: the item's number plus the length of the dataset for each earlier draw of the item.
    So each draw is perturbed differently.

    A batch has the pairs that fit ``--max-tokens`` and ``--batch-size``, and the blocks that fit the limits of the
    monolingual stream. Without bitext, batches hold only blocks. In training each epoch draws again; in validation
    everything is read once, in stored order, with the same perturbation each time. Seed, epoch and index determine
    every draw.
    """

    def __init__(
        self,
        bitext: BitextStream | None,
        mono: MonoStream | None,
        mask: MaskOptions,
        seed: int,
        training: bool,
        options: DrawOptions | None = None,
    ):
        super().__init__()
        options = options or DrawOptions()
        self.bitext, self.mono, self.mask = bitext, mono, mask
        self.seed, self.training, self.temperature, self.items = seed, training, options.temperature, options.items
        self.mono_tokens, self.mono_blocks = options.mono_tokens, options.mono_blocks
        self._visit_of = options.visit
        self.bucket_width = options.bucket_width if training else 1
        self.apart = options.apart and training
        self.pairs = len(bitext) if bitext is not None else 0
        self.now = 1

    def __len__(self) -> int:
        return self.pairs + (len(self.mono) if self.mono is not None else 0)

    def set_epoch(self, epoch: int) -> None:
        """Draws depend on the epoch; validation always uses epoch 0."""
        self.now = epoch if self.training else 0

    @property
    def _visit(self) -> int:
        return self.now - 1 if self._visit_of is None else self._visit_of(self.now)

    def __getitem__(self, index: int) -> PairSample | BlockSample:
        index = int(index)
        item = index % len(self)
        if item < self.pairs:
            assert self.bitext is not None
            rng = np.random.default_rng((self.seed, BITEXT, self.now, index))
            pair = self.bitext[item]
            self._require_known(pair.src, pair.tgt)
            return pair_sample(pair, rng, self.mask)
        assert self.mono is not None
        rng = np.random.default_rng((self.seed, MONO, self.now, index))
        block = self.mono[item - self.pairs]
        self._require_known(block)
        return block_sample(block, rng, self.mask, self.mono.language(item - self.pairs))

    def _draws(self, items: np.ndarray) -> np.ndarray:
        """The indices of items drawn in this order."""
        return items + len(self) * repeats(items)

    def _require_known(self, *sides: np.ndarray) -> None:
        """Check ids here, because the embedding's error names neither data nor dictionary."""
        highest = max((int(ids.max()) for ids in sides if len(ids)), default=0)
        if highest >= self.mask.vocab:
            problem, expected = "the data contain an id that dict.txt lacks", f"ids below {self.mask.vocab}"
            raise XalignError(problem, where="the data-bin's .bin files", found=highest, expected=expected)

    def collater(self, samples: Sequence[PairSample | BlockSample]) -> dict[str, Any]:
        """Samples of both streams as one batch; at the end of an epoch, a worker without a batch gets an empty one."""
        if not samples:
            return {}
        return collate(
            [sample for sample in samples if isinstance(sample, PairSample)],
            [sample for sample in samples if isinstance(sample, BlockSample)],
        )

    def ordered_indices(self) -> np.ndarray:
        """The epoch's pairs by length bucket, in random order within a bucket; blocks join in :meth:`batch_by_size`."""
        if self.bitext is None:
            assert self.mono is not None
            count = self.items or len(self.mono)
            return self._blocks(count, self._visit * count)
        if self.training:
            items, dropped = self.bitext.epoch(self.seed, self.now, self.temperature, self.items, self._visit)
        else:
            items, dropped = self.bitext.all()
        self._left_out(dropped, dropped + len(items), *self._limits(self.bitext))
        return self._by_length(items, self._draws(items))

    def _by_length(self, items: np.ndarray, draws: np.ndarray) -> np.ndarray:
        assert self.bitext is not None
        buckets = self.bitext.lengths(items) // self.bucket_width if self.bucket_width else np.zeros_like(items)
        return draws[np.argsort(buckets, kind="stable")]

    @staticmethod
    def _limits(bitext: BitextStream) -> tuple[str, tuple[str, ...]]:
        shortest, longest = bitext.side_lengths
        why, parameters = [f"longer than {bitext.max_length} tokens together"], ["max_pair_length", "max_positions"]
        if shortest:
            why.append(f"a side below {shortest}")
            parameters.append("min_sentence_length")
        if longest is not None:
            why.append(f"a side above {longest}")
            parameters.append("max_sentence_length")
        return ", or ".join(why), tuple(parameters)

    @staticmethod
    def _left_out(dropped: int, drawn: int, why: str, parameters: tuple[str, ...]) -> None:
        """Pairs outside the limits are skipped and counted; if no pair remains it is an error."""
        if dropped:
            level = logging.WARNING if dropped > MANY * drawn else logging.INFO
            logger.log(level, "dropped %d of %d pairs: %s (%s)", dropped, drawn, why, ", ".join(parameters))
        if dropped == drawn:
            found = f"{counted(dropped, 'pair')}, all left out: {why}"
            raise XalignError("no sentence pair is within the length limits", parameter=parameters, found=found)

    def batch_by_size(
        self,
        indices: np.ndarray,
        max_tokens: int | None = None,
        max_sentences: int | None = None,
        required_batch_size_multiple: int = 1,
    ) -> list[np.ndarray]:
        """Cut pairs into batches and give each batch its blocks."""
        if max_tokens is not None and self.bitext is not None:
            fit = self.num_tokens_vec(indices) <= max_tokens
            why = f"longer than {max_tokens} tokens together"
            self._left_out(len(indices) - int(fit.sum()), len(indices), why, ("max_tokens",))
            indices = indices[fit]
        batches = self._cut(indices, max_tokens, max_sentences, required_batch_size_multiple)
        if self.bitext is None or self.mono is None:
            return batches
        each = self._blocks_per_batch(max_tokens, max_sentences)
        if self.training:
            usual = self._usual_batches(max_tokens, max_sentences, required_batch_size_multiple)
            blocks = self._blocks(each * len(batches), each * usual * self._visit).reshape(len(batches), each)
            return [np.concatenate(both) for both in zip(batches, blocks, strict=True)]
        every = self._blocks(len(self.mono), 0)
        return batches + [every[start : start + each] for start in range(0, len(every), each)]

    def _usual_batches(self, max_tokens: int | None, max_sentences: int | None, multiple: int) -> int:
        """Batches of a first epoch. Other epochs may have a few more or fewer."""
        assert self.bitext is not None
        if self._visit == 0:
            return 0  # nothing was read before
        items, _ = self.bitext.epoch(self.seed, 1, self.temperature, self.items, 0)
        if max_tokens is not None:
            items = items[self.bitext.lengths(items) <= max_tokens]
        return len(self._cut(self._by_length(items, self._draws(items)), max_tokens, max_sentences, multiple))

    def _cut(
        self, indices: np.ndarray, max_tokens: int | None, max_sentences: int | None, multiple: int
    ) -> list[np.ndarray]:
        if self.bitext is None:  # all blocks are of one length
            max_tokens, max_sentences = None, self._blocks_per_batch(max_tokens, max_sentences)
        batches: list[np.ndarray] = []
        for group in self._groups(indices):
            ends = batch_ends(self.num_tokens_vec(group), max_tokens, max_sentences, multiple)
            batches += np.split(group, ends[:-1])
        return batches

    def _groups(self, indices: np.ndarray) -> list[np.ndarray]:
        """Groups that are cut into batches separately: with ``apart`` each pair's first draw, then the second, ..."""
        if not self.apart or self.bitext is None:
            return [indices]
        turns = repeats(self.bitext.pairs(indices % len(self)))
        return [indices[turns == turn] for turn in range(turns.max() + 1)]

    def _blocks(self, count: int, start: int) -> np.ndarray:
        """In training, this number of blocks from the current place of their stream; otherwise all."""
        assert self.mono is not None
        if self.training:
            return self._draws(self.pairs + self.mono.draw(self.seed, start, count, self.temperature))
        return self.pairs + np.arange(len(self.mono))

    def _blocks_per_batch(self, max_tokens: int | None, max_sentences: int | None) -> int:
        assert self.mono is not None
        tokens = self.mono_tokens or (None if self.mono_blocks else max_tokens)
        limits = [self.mono_blocks or max_sentences]
        if tokens is not None:
            limits.append(tokens // self.mono.length)
        each = min(limit for limit in limits if limit is not None)
        if not each:
            parameters = ("mono_max_tokens", "max_tokens", "mono_tokens_per_sample")
            found = f"{tokens} tokens per batch, {self.mono.length} per block"
            raise XalignError("no monolingual block fits a batch", parameter=parameters, found=found)
        return each

    def num_tokens_vec(self, indices: np.ndarray) -> np.ndarray:
        items = indices % len(self)
        lengths = np.full(len(items), self.mono.length if self.mono is not None else 0, dtype=np.int64)
        here = items < self.pairs
        if self.bitext is not None:
            lengths[here] = self.bitext.lengths(items[here])
        return lengths


def batch_ends(
    lengths: np.ndarray, max_tokens: int | None = None, max_sentences: int | None = None, multiple: int = 1
) -> np.ndarray:
    """The end of each batch: as many items as fit, as in fairseq's ``batch_by_size``.

    A batch of n items takes n times its longest item. If at least ``multiple`` items fit, their number is a multiple of
    it. The last items form a separate batch. ``lengths`` (N,) are tokens, none above ``max_tokens``.
    """
    ends, start = [], 0
    while start < len(lengths):
        most = len(lengths) - start
        if max_sentences:
            most = min(most, max_sentences)
        if max_tokens:
            most = min(most, max(max_tokens // max(int(lengths[start]), 1), 1))
            longest = np.maximum.accumulate(lengths[start : start + most])
            fits = int((longest * np.arange(1, most + 1) <= max_tokens).sum())
            most = max(fits, 1)
        start += most - most % multiple if most >= multiple else most
        ends.append(start)
    return np.array(ends, dtype=np.int64)
