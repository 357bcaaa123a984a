"""Batches: padded tensors of a stream's samples, as plain dicts for fairseq and as typed views for objectives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.data.samples import PAD, BlockSample, GoldLinks, PairSample


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
    gold: Sequence[GoldLinks | None]


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


def pad(rows: Sequence[np.ndarray], value: float) -> Tensor:
    """Stack rows of different lengths into (B, T), filled up with ``value``; the dtype is that of the rows."""
    padded = np.full((len(rows), max(map(len, rows))), value, dtype=rows[0].dtype)
    for target, row in zip(padded, rows, strict=True):
        target[: len(row)] = row
    return torch.from_numpy(padded)
