"""Batches: padded tensors of a stream's samples, as plain dicts for fairseq and as typed views for objectives."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.data.samples import BOS, PAD, BlockSample, GoldLinks, PairSample


@dataclass
class Bitext:
    """A batch of pair sequences ``<s> src </s> tgt </s>``.

    Attributes:
        tokens, masked, targets: (B, T) int64, padded with ``pad``; targets are ``pad`` where nothing is predicted.
        draw: (B, T) float in [0, 1).
        spans: (B, 4) int64, [src start, src end, tgt start, tgt end).
        partner: (B, T) int64 by prepared links, -1 for none; None if no pair of the batch has links.
        has_links: (B,) bool.
        corpus: (B,) int64, number of the language pair.
        langs: (B, 2) int64, numbers of the languages of the two sides; training draws a pair in both directions.
        words: (B, T) int64, index of each token's word in its own sentence, -1 at special tokens and padding; None if
            no pair of the batch has links.
        links: (K, 3) int64, [row, src word, tgt word] of every link to learn from, in the order of rows; None likewise.
        longest: tokens of the longest side of each kind.
        gold: prepared links of each pair (on the host), for scoring.
    """

    tokens: Tensor
    masked: Tensor
    targets: Tensor
    draw: Tensor
    spans: Tensor
    partner: Tensor | None
    has_links: Tensor
    corpus: Tensor
    langs: Tensor
    words: Tensor | None
    links: Tensor | None
    longest: tuple[int, int]
    gold: Sequence[GoldLinks | None]
    _sides: dict[tuple[int, str], Tensor] = field(default_factory=dict, repr=False)

    def side_in(self, language: int) -> Tensor:
        """(B,) int64: which side of each pair, 0 or 1, is in a language that all pairs have."""
        return (self.langs[:, 1] == language).long()

    def side(self, side: int, values: str = "tokens") -> Tensor:
        """One side of each pair as a sequence of its own, ``<s> side </s>``: (B, longest + 2), padded.

        The same tensor comes back whenever it is asked for, so that objectives share the pass over it. Position p of
        the pair sequence is position ``p - spans[:, 2 * side] + 1`` here.

        Args:
            side: 0 source, 1 target.
            values: "tokens", "masked" or "targets" (``pad`` at the special tokens).
        """
        if (side, values) not in self._sides:
            start, end = self.spans[:, 2 * side, None], self.spans[:, 2 * side + 1, None]
            at = start - 1 + torch.arange(self.longest[side] + 2, device=start.device)
            taken = getattr(self, values).gather(1, at.clamp(max=self.tokens.shape[1] - 1))
            taken[:, 0] = BOS  # in the pair sequence a target follows </s>
            if values == "targets":
                taken = taken.masked_fill((at < start) | (at == end), PAD)
            self._sides[side, values] = taken.masked_fill(at > end, PAD)
        return self._sides[side, values]


@dataclass
class Mono:
    """A batch of monolingual blocks: ids (B, T), padded."""

    masked: Tensor
    targets: Tensor


@dataclass
class Batch:
    """What an objective reads; a stream that the data lack is None."""

    bitext: Bitext | None = None
    mono: Mono | None = None

    @classmethod
    def from_sample(cls, sample: dict[str, Any]) -> "Batch":
        """The typed view of the dict that fairseq's trainer hands on."""
        bitext, mono = sample.get("bitext"), sample.get("mono")
        return cls(Bitext(**bitext) if bitext else None, Mono(**mono) if mono else None)


def collate(pairs: Sequence[PairSample], blocks: Sequence[BlockSample]) -> dict[str, Any]:
    """Pad and stack the samples of one batch into the dict that fairseq's trainer moves to its device."""
    batch: dict[str, Any] = {"nsentences": len(pairs) + len(blocks), "ntokens": 0}
    if pairs:
        linked = any(pair.partner is not None for pair in pairs)
        batch["bitext"] = {
            "tokens": pad([pair.tokens for pair in pairs], PAD),
            "masked": pad([pair.masked for pair in pairs], PAD),
            "targets": pad([pair.targets for pair in pairs], PAD),
            "draw": pad([pair.draw for pair in pairs], 1.0),
            "spans": torch.from_numpy(np.stack([pair.span for pair in pairs])),
            "partner": pad(
                [np.full(len(p.tokens), -1, dtype=np.int64) if p.partner is None else p.partner for p in pairs], -1
            )
            if linked
            else None,
            "has_links": torch.tensor([pair.partner is not None for pair in pairs]),
            "corpus": torch.tensor([pair.corpus for pair in pairs]),
            "langs": torch.tensor([pair.langs for pair in pairs]),
            "words": pad([_words(pair) for pair in pairs], -1) if linked else None,
            "links": torch.from_numpy(_links(pairs)) if linked else None,
            "longest": tuple(max(int(pair.span[end] - pair.span[end - 1]) for pair in pairs) for end in (1, 3)),
            "gold": tuple(pair.gold for pair in pairs),
        }
        batch["ntokens"] += sum(len(pair.tokens) for pair in pairs)
    if blocks:
        batch["mono"] = {
            "masked": pad([block.masked for block in blocks], PAD),
            "targets": pad([block.targets for block in blocks], PAD),
        }
        batch["ntokens"] += sum(len(block.masked) for block in blocks)
    return batch


def _words(pair: PairSample) -> np.ndarray:
    words = np.full(len(pair.tokens), -1, dtype=np.int64)
    if pair.gold is not None:
        words[pair.span[0] : pair.span[1]] = pair.gold.src_words
        words[pair.span[2] : pair.span[3]] = pair.gold.tgt_words
    return words


def _links(pairs: Sequence[PairSample]) -> np.ndarray:
    rows = [(row, pair.gold.taught[:, :2]) for row, pair in enumerate(pairs) if pair.gold is not None]
    each = [np.column_stack([np.full(len(links), row), links]) for row, links in rows]
    return np.concatenate(each).astype(np.int64) if each else np.empty((0, 3), dtype=np.int64)


def pad(rows: Sequence[np.ndarray], value: float) -> Tensor:
    """Stack rows of different lengths into (B, T), filled up with ``value``; the dtype is that of the rows."""
    padded = np.full((len(rows), max(map(len, rows))), value, dtype=rows[0].dtype)
    for target, row in zip(padded, rows, strict=True):
        target[: len(row)] = row
    return torch.from_numpy(padded)
