"""Batches: padded tensors of a stream's samples, as plain dicts for fairseq and as typed views for objectives."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.data.inputs import Input, in_target
from xalign_fairseq.data.samples import BOS, PAD, BlockSample, GoldLinks, PairSample
from xalign_fairseq.data.word_tables import WordTable, link_matrix

BATCHED = ("bitext", "mono")  # the streams of a batch


@dataclass(frozen=True)
class OnHost:
    """Values of a batch of pairs that stay on the host, so that reading them needs no synchronisation.

    Attributes:
        linked: (B, T) bool, tokens with a partner by prepared links.
        links: (B,) int64, the number of :attr:`Bitext.links` of each pair.
    """

    targets: np.ndarray
    draw: np.ndarray
    spans: np.ndarray
    langs: np.ndarray
    linked: np.ndarray
    links: np.ndarray

    def links_between(self, one: int, other: int) -> int:
        """The number of :attr:`Bitext.links` in pairs of these two languages, in either direction."""
        return int(self.links[(np.sort(self.langs, axis=1) == sorted((one, other))).all(1)].sum())

    def inside(self, side: int) -> np.ndarray:
        """(B, T) bool: the tokens of one side, 0 source or 1 target."""
        at = np.arange(self.targets.shape[1])
        return (at >= self.spans[:, 2 * side, None]) & (at < self.spans[:, 2 * side + 1, None])


@dataclass
class Bitext:
    """A batch of pair sequences ``<s> src </s> tgt </s>``.

    Attributes:
        tokens, masked, targets: (B, T) int64, padded with ``pad``; targets are ``pad`` where nothing is predicted.
        draw: (B, T) float64 in [0, 1), which mixed precision must not change: half precision would round draws.
        spans: (B, 4) int64, [src start, src end, tgt start, tgt end).
        predicted: (N,) int64, positions in the flattened (B * T,) where ``targets`` is not ``pad``, in ascending order.
        host: values that an objective can read without waiting for the device.
        partner: (B, T) int64 by prepared links, -1 for none.
        corpus: (B,) int64, number of the language pair.
        langs: (B, 2) int64, numbers of the languages of the two sides; training draws a pair in both directions.
        words: (B, T) int64, index of each token's word in its own sentence, -1 at special tokens, padding and in pairs
            without links.
        links: (K, 3) int64, [row, src word, tgt word] of the training links between words with tokens, ordered by row.
        highest_word: (on the host) the highest number in ``words``.
        gold: prepared links of each pair (on the host), for scoring.
        language_rows: (B, 2) int64, rows of both sides' language embeddings; None for an encoder without any.
    """

    tokens: Tensor
    masked: Tensor
    targets: Tensor
    draw: Tensor
    spans: Tensor
    predicted: Tensor
    host: OnHost
    partner: Tensor
    corpus: Tensor
    langs: Tensor
    words: Tensor
    links: Tensor
    highest_word: int
    gold: Sequence[GoldLinks | None]
    language_rows: Tensor | None = None
    _sides: dict[tuple[int, str], Tensor] = field(default_factory=dict, repr=False)
    _places: Tensor | None = field(default=None, repr=False)
    _tables: dict[int, WordTable] = field(default_factory=dict, repr=False)

    @property
    def sizes(self) -> np.ndarray:
        """(B, 2) on the host: tokens of each side."""
        return self.host.spans[:, 1::2] - self.host.spans[:, ::2]

    @property
    def complete(self) -> int:
        """The number of pairs with tokens on both sides."""
        return int(self.sizes.all(1).sum())

    @property
    def longest(self) -> tuple[int, int]:
        """Tokens of the longest side of each kind."""
        src, tgt = self.sizes.max(0).tolist()
        return src, tgt

    def side_in(self, language: int) -> Tensor:
        """(B,) int64: the side (0 or 1) of each pair in a language that all pairs share."""
        return (self.langs[:, 1] == language).long()

    def input(self, values: str = "tokens", *, reset_positions: bool = False) -> Input:
        """The pair sequences for the encoder; passes over the same values are shared.

        Args:
            values: "tokens" or "masked".
            reset_positions: positions restart at the target (Conneau & Lample 2019), as in ``side(1)``.
        """
        languages = None
        if self.language_rows is not None:
            target = in_target(self.spans, self.tokens.shape[1])
            languages = torch.where(target, self.language_rows[:, 1:], self.language_rows[:, :1])
        if reset_positions and self._places is None:  # the same tensor each time, so that the pass over it is shared
            at = torch.arange(self.tokens.shape[1], device=self.tokens.device)
            self._places = at - in_target(self.spans, len(at)) * (self.spans[:, 2, None] - 1)
        positions = self._places if reset_positions else None
        return Input(getattr(self, values), languages, positions, lengths=self.host.spans[:, 3] + 1)

    def side_input(self, side: int, values: str = "tokens") -> Input:
        """One side for the encoder, from :meth:`side`."""
        rows = self.language_rows
        languages = None if rows is None else rows[:, side, None]
        return Input(self.side(side, values), languages, lengths=self.sizes[:, side] + 2)

    def pair_inputs(self, encoding: str) -> list[Input]:
        """The unperturbed pairs for the encoder: ``joint``, the pair sequences; ``separate``, each side alone."""
        return [self.input()] if encoding == "joint" else [self.side_input(side) for side in (0, 1)]

    def side(self, side: int, values: str = "tokens") -> Tensor:
        """One side of each pair as a separate sequence ``<s> side </s>``: (B, longest + 2), padded.

        Every call returns the same tensor, so objectives share the encoder's pass. Position p of the pair sequence is
        position ``p - spans[:, 2 * side] + 1`` here.

        Args:
            side: 0 source, 1 target.
            values: "tokens", "masked" or "targets" (``pad`` at the special tokens).
        """
        if (side, values) not in self._sides:
            start, end = self.spans[:, 2 * side, None], self.spans[:, 2 * side + 1, None]
            at = start - 1 + torch.arange(self.longest[side] + 2, device=start.device)
            taken = getattr(self, values).gather(1, at.clamp(max=self.tokens.shape[1] - 1))
            taken[:, :1].fill_(BOS)  # in the pair sequence, </s> precedes the target
            if values == "targets":
                taken = taken.masked_fill((at < start) | (at == end), PAD)
            self._sides[side, values] = taken.masked_fill(at > end, PAD)
        return self._sides[side, values]

    def word_table(self, side: int) -> WordTable:
        """The places of one side's words in the pair sequences; a cached table."""
        if side not in self._tables:
            self._tables[side] = WordTable(self.words, self.spans, side, self.highest_word + 1)
        return self._tables[side]

    def link_matrix(self, subwords: str) -> Tensor:
        """(B, n, m) bool: the prepared links between tokens, by a rule of :func:`.word_tables.link_matrix`."""
        return link_matrix(self.links, self.word_table(0), self.word_table(1), subwords, self.longest)


@dataclass
class Mono:
    """A batch of monolingual blocks.

    Attributes:
        masked, targets: ids (B, T), padded.
        predicted: (N,) int64, positions in the flattened (B * T,) where ``targets`` is not ``pad``, in ascending order.
        language_rows: (B,) int64, rows of the language embeddings; None for an encoder without any.
    """

    masked: Tensor
    targets: Tensor
    draw: Tensor
    langs: Tensor
    predicted: Tensor
    lengths: np.ndarray
    language_rows: Tensor | None = None

    def input(self, tokens: Tensor | None = None, languages: Tensor | None = None) -> Input:
        """The perturbed blocks for the encoder, or ``tokens`` (B, T) instead.

        ``languages``: (B, T), rows of the language embeddings instead of each block's language.
        """
        if languages is None and self.language_rows is not None:
            languages = self.language_rows[:, None]
        return Input(self.masked if tokens is None else tokens, languages, lengths=self.lengths, one_text=True)


@dataclass
class Batch:
    """The streams of one batch; None for a stream that the data lack.

    Attributes:
        stands_in: a repeated batch, because this worker has no more batches in the epoch. The model must not train on
            it or store it.
    """

    bitext: Bitext | None = None
    mono: Mono | None = None
    stands_in: bool = False

    @property
    def device(self) -> torch.device:
        """The device of its tensors."""
        return next(stream.targets.device for stream in (self.bitext, self.mono) if stream is not None)

    def only(self, needs: Collection[str]) -> "Batch | None":
        """The batch with the streams in ``needs`` only; None if it lacks one of them."""
        needed = {name: getattr(self, name) for name in BATCHED if name in needs}
        return None if any(stream is None for stream in needed.values()) else Batch(**needed, stands_in=self.stands_in)

    @classmethod
    def from_sample(
        cls, sample: dict[str, Any], language_rows: Tensor | None = None, stands_in: bool = False
    ) -> "Batch":
        """The typed view of the dict from fairseq's trainer."""
        bitext, mono = sample.get("bitext"), sample.get("mono")
        batch = cls(Bitext(**bitext) if bitext else None, Mono(**mono) if mono else None, stands_in)
        for stream in (batch.bitext, batch.mono):
            if stream is not None and language_rows is not None:
                stream.language_rows = language_rows[stream.langs]
        return batch


def collate(pairs: Sequence[PairSample], blocks: Sequence[BlockSample]) -> dict[str, Any]:
    """Pad and stack the samples of one batch into the dict that fairseq's trainer moves to its device."""
    batch: dict[str, Any] = {"nsentences": len(pairs) + len(blocks), "ntokens": 0}
    if pairs:
        # Arrays must own their memory: a data worker moves a tensor's memory to shared memory, and an array from
        # Tensor.numpy() would keep the freed memory.
        targets = _stack([pair.targets for pair in pairs], PAD)
        draw = _stack([pair.draw.astype(np.float64) for pair in pairs], 1.0)
        partners = ((len(pair.tokens), pair.partner) for pair in pairs)
        partner = _stack([np.full(length, -1) if each is None else each for length, each in partners], -1)
        spans = np.stack([pair.span for pair in pairs])
        words = pad([_words(pair) for pair in pairs], -1)
        langs, links = np.array([pair.langs for pair in pairs]), _links(pairs)
        number = np.bincount(links[:, 0], minlength=len(pairs))
        batch["bitext"] = {
            "tokens": pad([pair.tokens for pair in pairs], PAD),
            "masked": pad([pair.masked for pair in pairs], PAD),
            "targets": torch.from_numpy(targets),
            "draw": torch.from_numpy(draw),
            "spans": torch.from_numpy(spans),
            "predicted": _predicted(targets),
            "host": OnHost(targets, draw, spans, langs, partner >= 0, number),
            "partner": torch.from_numpy(partner),
            "corpus": torch.tensor([pair.corpus for pair in pairs]),
            "langs": torch.from_numpy(langs),
            "words": words,
            "links": torch.from_numpy(links),
            "highest_word": int(words.max()),
            "gold": tuple(pair.gold for pair in pairs),
        }
        batch["ntokens"] += sum(len(pair.tokens) for pair in pairs)
    if blocks:
        targets = _stack([block.targets for block in blocks], PAD)
        batch["mono"] = {
            "masked": pad([block.masked for block in blocks], PAD),
            "targets": torch.from_numpy(targets),
            "draw": pad([block.draw.astype(np.float64) for block in blocks], 1.0),
            "langs": torch.tensor([block.lang for block in blocks]),
            "predicted": _predicted(targets),
            "lengths": np.array([len(block.targets) for block in blocks]),
        }
        batch["ntokens"] += sum(len(block.masked) for block in blocks)
    return batch


def _predicted(targets: np.ndarray) -> Tensor:
    return torch.from_numpy(np.flatnonzero(targets != PAD))


def _words(pair: PairSample) -> np.ndarray:
    words = np.full(len(pair.tokens), -1, dtype=np.int64)
    if pair.gold is not None:
        words[pair.span[0] : pair.span[1]] = pair.gold.src_words
        words[pair.span[2] : pair.span[3]] = pair.gold.tgt_words
    return words


def _links(pairs: Sequence[PairSample]) -> np.ndarray:
    rows = [(row, pair.gold.between_tokens) for row, pair in enumerate(pairs) if pair.gold is not None]
    each = [np.column_stack([np.full(len(links), row), links]) for row, links in rows]
    return np.concatenate(each).astype(np.int64) if each else np.empty((0, 3), dtype=np.int64)


def pad(rows: Sequence[np.ndarray], value: float) -> Tensor:
    """Stack rows of different lengths into (B, T), filled up with ``value``; the dtype is that of the rows."""
    return torch.from_numpy(_stack(rows, value))


def _stack(rows: Sequence[np.ndarray], value: float) -> np.ndarray:
    padded = np.full((len(rows), max(map(len, rows))), value, dtype=rows[0].dtype)
    for target, row in zip(padded, rows, strict=True):
        target[: len(row)] = row
    return padded
