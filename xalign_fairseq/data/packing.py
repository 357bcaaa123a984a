"""Pack the tokens of padded sequences into one row without padding, and unpack them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.transport.ops.attention import Packed


@dataclass(frozen=True)
class Place:
    """The places of one input's tokens.

    Attributes:
        shape: B and T of the input.
        rows: (N,) int64, their places in the packed row; None: the whole row.
        at: (N,) int64, their places in the flattened (B * T,); None: 0 to N, there is no padding.
    """

    shape: tuple[int, int]
    rows: Tensor | None
    at: Tensor | None

    def unpack(self, row: Tensor) -> Tensor:
        """Values (N, H) of the packed row -> (B, T, H), zeros at padding."""
        return self.spread(row if self.rows is None else row.index_select(0, self.rows))

    def spread(self, own: Tensor) -> Tensor:
        """Values (N, H) of the input's own tokens -> (B, T, H), zeros at padding."""
        if self.at is not None:
            own = own.new_zeros(self.shape[0] * self.shape[1], own.shape[1]).index_copy(0, self.at, own)
        return own.view(*self.shape, own.shape[1])

    def rows_at(self, positions: Tensor) -> Tensor:
        """Places in the packed row of the tokens at positions (K,) of the flattened (B * T,), without padding."""
        if self.at is not None:
            own = torch.arange(len(self.at), device=self.at.device)
            positions = (
                own.new_zeros(self.shape[0] * self.shape[1]).index_copy(0, self.at, own).index_select(0, positions)
            )
        return positions if self.rows is None else self.rows.index_select(0, positions)


@dataclass(frozen=True)
class Packing:
    """Several inputs in one row of N tokens, the shortest sequences first: equal lengths are neighbours."""

    sentences: Packed
    places: Sequence[Place]
    _source: Tensor | None

    def row(self, values: Sequence[Tensor]) -> Tensor:
        """The values of each input at its tokens, (B, T) each, as the packed row (N,)."""
        flat = torch.cat([value.flatten() for value in values])
        return flat if self._source is None else flat.index_select(0, self._source)

    def filled(self) -> "Packing":
        """This packing with padding sentences at the end, up to a number of tokens that other batches share.

        Padding sentences repeat the first token, at most one for 16 tokens; no place refers to them.
        ``sentences.offsets`` is filled with empty sentences up to a power of two.
        """
        sentences = self.sentences
        count = sum(number * length for number, length in sentences.runs)
        extra = filled_size(count) - count
        if not count:
            return self
        whole, rest = divmod(extra, sentences.longest)
        added = tuple((number, length) for number, length in ((whole, sentences.longest), (1, rest)) if number * length)
        known = len(sentences.offsets)
        size = 1 << (known + whole + bool(rest) - 1).bit_length()
        own = torch.arange(count, device=sentences.offsets.device)
        ends = torch.arange(1, size - known + 1, device=own.device).mul(sentences.longest).clamp(max=extra) + count
        offsets = torch.cat([sentences.offsets, ends])
        places = [replace(place, rows=own) if place.rows is None else place for place in self.places]
        source = F.pad(own if self._source is None else self._source, (0, extra))
        return Packing(replace(sentences, runs=sentences.runs + added, offsets=offsets), places, source)


def pack(inputs: Sequence[Input]) -> Packing | None:
    """The packing of these inputs; None if the host does not know their lengths.

    The host must know the number of tokens. Their positions are found on the device, so nothing is copied.
    """
    known = [_lengths(given) for given in inputs]
    lengths = [each for each in known if each is not None]
    if len(lengths) < len(known):
        return None
    shapes = [(given.tokens.shape[0], given.tokens.shape[1]) for given in inputs]
    ascending = np.sort(np.concatenate(lengths))
    ascending = ascending[ascending > 0]
    count, size = int(ascending.sum()), sum(rows * columns for rows, columns in shapes)
    padding = 1 - count / max(size, 1)
    if len(inputs) == 1 and count == size:
        [(rows, columns)] = shapes
        offsets = torch.arange(rows + 1, device=inputs[0].tokens.device) * columns
        return Packing(Packed.of(ascending, offsets, padding), [Place(shapes[0], None, None)], None)
    keep = [given.tokens.ne(PAD) for given in inputs]
    sizes, order = torch.cat([each.sum(1) for each in keep]).sort(stable=True)
    offsets = F.pad(sizes[len(sizes) - len(ascending) :].cumsum(0), (1, 0))
    # Tokens in the order of their sequences, padding last.
    ranks = order.argsort().split([rows for rows, _ in shapes])
    keys = [rank[:, None].where(each, len(order)).flatten() for rank, each in zip(ranks, keep, strict=True)]
    source = torch.cat(keys).argsort(stable=True)[:count]
    places, first = [], 0
    for shape, own in zip(shapes, lengths, strict=True):
        last = first + shape[0] * shape[1]
        outside = (source < first) | (source >= last)
        mine = None if len(inputs) == 1 else outside.int().argsort(stable=True)[: int(own.sum())]
        places.append(Place(shape, mine, source if mine is None else source.index_select(0, mine) - first))
        first = last
    return Packing(Packed.of(ascending, offsets, padding), places, source)


def filled_size(count: int) -> int:
    """The smallest k 2^e that is not below ``count``, 16 <= k <= 32."""
    step = 1 << max((count - 1).bit_length() - 5, 0)
    return -(-count // step) * step


def positions_of(given: Input) -> Tensor:
    """(B, T) int64: the place of each token, counted from 1; 0 at padding."""
    keep = given.tokens.ne(PAD)
    return (keep.cumsum(1) if given.positions is None else given.positions + 1) * keep


def lengths_of(tokens: Tensor) -> np.ndarray:
    """(B,) on the host: how many of the tokens (B, T), on the CPU, are not padding in each sequence."""
    return tokens.ne(PAD).sum(1).numpy()


def _lengths(given: Input) -> np.ndarray | None:
    """Tokens (B,) of each sequence; None if they are on another device."""
    known = given.lengths is not None or given.tokens.device.type != "cpu"
    return given.lengths if known else lengths_of(given.tokens)
