"""Batches: padded tensors of a stream's samples, as plain dicts for fairseq and as typed views for objectives."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.data.samples import BOS, PAD, BlockSample, GoldLinks, PairSample
from xalign_fairseq.encoder.inputs import Input, in_target


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
        language_rows: (B, 2) int64, rows of both sides' language embeddings; None for an encoder without any.
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
    language_rows: Tensor | None = None
    _sides: dict[tuple[int, str], Tensor] = field(default_factory=dict, repr=False)
    _places: Tensor | None = field(default=None, repr=False)

    def side_in(self, language: int) -> Tensor:
        """(B,) int64: which side of each pair, 0 or 1, is in a language that all pairs have."""
        return (self.langs[:, 1] == language).long()

    def input(self, values: str = "tokens", *, reset_positions: bool = False) -> Input:
        """The pair sequences for the encoder; passes over the same values are shared.

        Args:
            values: "tokens" or "masked".
            reset_positions: count the positions of the target anew (Conneau & Lample 2019), as if it stood behind a
                ``<s>`` of its own: a word of it has the position that it has in ``side(1)``.
        """
        languages = None
        if self.language_rows is not None:
            target = in_target(self.spans, self.tokens.shape[1])
            languages = torch.where(target, self.language_rows[:, 1:], self.language_rows[:, :1])
        return Input(getattr(self, values), languages, self._reset_positions() if reset_positions else None)

    def side_input(self, side: int, values: str = "tokens") -> Input:
        """One side for the encoder, as :meth:`side` gives it."""
        rows = self.language_rows
        return Input(self.side(side, values), None if rows is None else rows[:, side, None])

    def _reset_positions(self) -> Tensor:
        if self._places is None:  # the same tensor each time, so that the pass over it is shared
            at = torch.arange(self.tokens.shape[1], device=self.tokens.device)
            self._places = at - in_target(self.spans, len(at)) * (self.spans[:, 2, None] - 1)
        return self._places

    def side(self, side: int, values: str = "tokens") -> Tensor:
        """One side of each pair as a sequence of its own, ``<s> side </s>``: (B, longest + 2), padded.

        The same tensor comes back whenever it is asked for, so that objectives share passes over it. Position p of
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
    """A batch of monolingual blocks.

    Attributes:
        masked, targets: ids (B, T), padded.
        draw: (B, T) float in [0, 1).
        langs: (B,) int64, numbers of the languages.
        language_rows: (B,) int64, rows of the language embeddings; None for an encoder without any.
    """

    masked: Tensor
    targets: Tensor
    draw: Tensor
    langs: Tensor
    language_rows: Tensor | None = None

    def input(self, tokens: Tensor | None = None) -> Input:
        """The blocks for the encoder, perturbed as they are or by ``tokens`` (B, T) in their place."""
        rows = self.language_rows
        return Input(self.masked if tokens is None else tokens, None if rows is None else rows[:, None])


@dataclass
class Batch:
    """What an objective reads; a stream that the data lack is None."""

    bitext: Bitext | None = None
    mono: Mono | None = None

    @classmethod
    def from_sample(cls, sample: dict[str, Any], language_rows: Tensor | None = None) -> "Batch":
        """The typed view of the dict that fairseq's trainer hands on.

        ``language_rows``: the row of each language's embedding by the language's number, on the batch's device.
        """
        bitext, mono = sample.get("bitext"), sample.get("mono")
        batch = cls(Bitext(**bitext) if bitext else None, Mono(**mono) if mono else None)
        for stream in (batch.bitext, batch.mono):
            if stream is not None and language_rows is not None:
                stream.language_rows = language_rows[stream.langs]
        return batch


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
            "draw": pad([block.draw for block in blocks], 1.0),
            "langs": torch.tensor([block.lang for block in blocks]),
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
