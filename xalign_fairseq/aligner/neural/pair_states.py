"""Encode sentence pairs as one sequence or as two, with linear maps and language embeddings."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.inputs import Input, in_target
from xalign_fairseq.data.samples import BOS, EOS, pair_sequence
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens, count_unknown
from xalign_fairseq.encoder.mappings import LanguageMaps, MappedStates, States
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.transport.names import ENCODINGS
from xalign_fairseq.transport.ops.products import compiles_shapes

# Each side gets at least this part of a joint window, unless it has fewer tokens.
LEAST_PART = 4


@dataclass(frozen=True)
class SideWindows:
    """Windows of equal length, spread evenly over one side of a pair.

    ``starts`` (K,) int64 are the first tokens; ``owners`` (size,) int64 is each token's window with the most context.
    """

    length: int
    starts: np.ndarray
    owners: np.ndarray

    @classmethod
    def spread(cls, size: int, length: int, count: int) -> "SideWindows":
        """``count`` windows of ``length`` over ``size`` tokens; consecutive ones overlap by half or more."""
        starts = np.linspace(0, size - length, count).round().astype(np.int64)
        places, first, repeated = np.unique(starts, return_index=True, return_counts=True)
        # Halfway between two windows' middles: from there on, the second window has more context.
        borders = (places[1:] + places[:-1] + length - 1) / 2
        tokens = np.arange(size)
        place = np.searchsorted(borders, tokens, side="left")
        as_far_on = (tokens * (count - 1) / max(1, size - 1)).round().astype(np.int64)
        return cls(length, starts, as_far_on.clip(first[place], first[place] + repeated[place] - 1))

    def cut(self, ids: np.ndarray, window: int) -> np.ndarray:
        """The tokens of a window."""
        return ids[self.starts[window] : self.starts[window] + self.length]


def pair_windows(n: int, m: int, positions: int, encoding: str) -> tuple[SideWindows, SideWindows]:
    """Windows over n source and m target tokens; both sides advance by the same proportion."""
    alone = positions - 2
    lengths = (min(n, alone), min(m, alone)) if encoding == "separate" else _shares(n, m, positions - 3)
    # Steps of half a window: tokens away from the ends have a quarter of a window as context on each side.
    steps = [-(-(size - length) // max(1, length // 2)) for size, length in zip((n, m), lengths, strict=True)]
    count = 1 + max(steps)
    src, tgt = (SideWindows.spread(size, length, count) for size, length in zip((n, m), lengths, strict=True))
    return src, tgt


def _shares(n: int, m: int, room: int) -> tuple[int, int]:
    """The number of source and target tokens in a joint window of ``room`` tokens."""
    if n > m:
        return _shares(m, n, room)[::-1]
    src = min(n, max(room * n // (n + m), room // LEAST_PART, 1))
    return src, min(m, room - src)


# Tokens in one pass of the encoder over part of a batch. On Zen 4, 2,048 take 2 % less time than 1,024; on Intel, 1,024
# take a tenth less than 512 (2,048: not measured). Other devices need more.
PASS_TOKENS = 2048
LARGE_PASS = 8192
# With oneDNN, unused sequences fill the tokens of a pass to a multiple of this. For each new product shape it compiles
# half a megabyte of code, which takes as long as the product and stays in memory.
PASS_STEP = 64
# The minimum ratio of the shortest sequence in a pass to the longest; it bounds the padding of an encoder that pads.
SHORTEST = 0.8
Ids = tuple[np.ndarray, np.ndarray]


class PairEncoder:
    """Token ids of sentence pairs to hidden states and the positions of both sides.

    ``joint`` encoding is ``<s> src </s> tgt </s>``; ``separate`` is ``<s> src </s>`` and ``<s> tgt </s>``.
    """

    def __init__(
        self,
        encoder: Encoder,
        encoding: str,
        maps: LanguageMaps | None = None,
        languages: tuple[str, str] | None = None,
    ):
        if encoding not in ENCODINGS:
            raise XalignError("unknown encoding", parameter="encoding", found=encoding, expected=" or ".join(ENCODINGS))
        if maps is not None:
            if languages is None or encoding == "joint":
                raise XalignError(
                    "linear maps need separate encoding",
                    parameter=("maps", "encoding"),
                    found="no languages" if languages is None else f"the encoding {encoding}",
                    remedy=("set", Parameter("encoding", "separate"), "or leave out", Parameter("maps")),
                )
            maps.require(languages, Parameter("maps"))
        self.encoder, self.encoding, self.maps = encoder, encoding, maps
        self._rows = encoder.config.side_rows(languages)
        self.mapped = languages if maps is not None else None
        self.embedded = languages if self._rows is not None else None

    def fits(self, n: int, m: int) -> bool:
        """Whether sides of n and m tokens fit into the encoder's positions."""
        positions = self.encoder.config.max_positions
        return n + m + 3 <= positions if self.encoding == "joint" else max(n, m) + 2 <= positions

    def states(self, pairs: Sequence[Ids], layers: Collection[int]) -> tuple[dict[int, Tensor], Tensor]:
        """Hidden states (B, T, H) by layer, and spans (B, 4) int64: [src start, src end, tgt start, tgt end)."""
        if self.encoding == "joint":
            sequences, sides = zip(*(pair_sequence(src, tgt) for src, tgt in pairs), strict=True)
            spans = torch.from_numpy(np.stack(sides)).to(self._device)

            def joint(read: Input, rows: list[int]) -> States:
                if self._rows is None:
                    return self.encoder.states(read)
                src, tgt = self._rows  # each token has the language of its side
                languages = in_target(spans[rows], read.tokens.shape[1]) * (tgt - src) + src
                return self.encoder.states(replace(read, languages=languages))

            return self._read(sequences, layers, joint), spans
        sentences = [np.array([BOS, *ids, EOS]) for pair in pairs for ids in pair]
        found = self._read(sentences, layers, self._separate)
        # Both sides of a pair in sequence, each padded to the longest.
        longest = max(map(len, sentences))
        edges = [[1, 1 + len(src), longest + 1, longest + 1 + len(tgt)] for src, tgt in pairs]
        joined = {layer: hidden.view(len(pairs), 2 * longest, -1) for layer, hidden in found.items()}
        return joined, torch.tensor(edges).to(self._device)

    def long_states(
        self, src: np.ndarray, tgt: np.ndarray, layers: Collection[int], batch_tokens: int
    ) -> tuple[dict[int, Tensor], Tensor]:
        """Like :meth:`states` for one pair longer than the positions, in overlapping windows without special tokens."""
        n, m, config = len(src), len(tgt), self.encoder.config
        windows = pair_windows(n, m, config.max_positions, self.encoding)
        at_once = max(1, batch_tokens // (sum(side.length for side in windows) + 4))
        found: dict[int, Tensor] = {}
        for first in range(0, len(windows[0].starts), at_once):
            numbers = range(first, min(first + at_once, len(windows[0].starts)))
            states, spans = self.states(
                [(windows[0].cut(src, number), windows[1].cut(tgt, number)) for number in numbers], layers
            )
            for row, number in enumerate(numbers):
                for side, offset in ((0, 0), (1, n)):
                    tokens = torch.from_numpy(np.flatnonzero(windows[side].owners == number)).to(spans.device)
                    places = tokens - windows[side].starts[number] + spans[row, 2 * side]
                    for layer, hidden in states.items():
                        if layer not in found:
                            found[layer] = hidden.new_empty(1, n + m, hidden.shape[2])
                        found[layer][0, tokens + offset] = hidden[row, places]
        return found, torch.tensor([[0, n, n, n + m]]).to(spans.device)

    @property
    def _device(self) -> torch.device:
        return self.encoder.device

    def _read(
        self, sequences: Sequence[np.ndarray], layers: Collection[int], begin: Callable[[Input, list[int]], States]
    ) -> dict[int, Tensor]:
        """Hidden states (S, T, H) of S sequences by layer, read in groups; 0 at padding."""
        lengths = [len(sequence) for sequence in sequences]
        found: dict[int, Tensor] = {}
        on_cpu = self._device.type == "cpu"
        # A small batch keeps its size.
        body, small = self.encoder.sentence_encoder, sum(lengths) <= PASS_TOKENS // 2
        fill = on_cpu and body.packs and not small and compiles_shapes(next(body.parameters()).dtype)
        for rows in _groups(lengths, PASS_TOKENS if on_cpu else LARGE_PASS, body.packs):
            filled = []
            if fill:  # with sequences of at most the first length
                whole, rest = divmod(-sum(lengths[row] for row in rows) % PASS_STEP, lengths[rows[0]])
                filled = [lengths[rows[0]]] * whole + [rest] * (rest > 0)
            read = [*(sequences[row] for row in rows), *(sequences[rows[0]][:length] for length in filled)]
            tokens = pad(read, self.encoder.config.pad).to(self._device)
            states = begin(Input(tokens, lengths=np.array([*map(len, read)])), rows + rows[:1] * len(filled))
            for layer in layers:
                hidden = states.layer(layer)[: len(rows)]
                if layer not in found:
                    found[layer] = hidden.new_zeros(len(sequences), max(lengths), hidden.shape[2])
                found[layer][rows, : hidden.shape[1]] = hidden
        return found

    def _separate(self, read: Input, rows: list[int]) -> States:
        """A pass over sentences, source and target in turn; each has the language of its side."""
        sides = [row % 2 for row in rows]
        languages = None if self._rows is None else read.tokens.new_tensor([[self._rows[side]] for side in sides])
        states = self.encoder.states(replace(read, languages=languages))
        if self.maps is None or self.mapped is None:
            return states
        return MappedStates(states, self.maps, [self.mapped[side] for side in sides])


def _groups(lengths: Sequence[int], tokens: int, packs: bool) -> Iterator[list[int]]:
    """Groups of rows, longest first: at least one row, at most this number of tokens; padding counts unless packed."""
    group: list[int] = []
    longest = total = 0
    for row in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        length = lengths[row]
        too_many = total + length > tokens if packs else (len(group) + 1) * longest > tokens
        if group and (too_many or not (packs or length >= SHORTEST * longest)):
            yield group
            group = []
        longest, total = (longest, total + length) if group else (length, length)
        group.append(row)
    yield group


@dataclass(frozen=True, eq=False)
class EncodedPair:
    """One pair as ids, with the word of each token and the pair's number."""

    index: int
    src: np.ndarray
    tgt: np.ndarray
    src_words: np.ndarray
    tgt_words: np.ndarray

    @property
    def sizes(self) -> tuple[int, int]:
        """Tokens of either side."""
        return len(self.src), len(self.tgt)

    @property
    def similarities(self) -> int:
        """The number of pairs of tokens."""
        return len(self.src) * len(self.tgt)


def encode_pairs(
    tokenizer: Tokenizer, pairs: Sequence[tuple[Sequence[str], Sequence[str]]], unknown: UnknownTokens
) -> list[EncodedPair]:
    """Pairs of words as ids, in order; ``unknown`` also counts unknown tokens."""
    sides = []
    for side in zip(*pairs, strict=True):
        (ids, sizes), (words, _) = tokenizer.encode_words_batch(side)
        unknown.add(count_unknown(tokenizer, (ids, sizes), [" ".join(sentence) for sentence in side]))
        edges = np.cumsum(sizes)[:-1]
        sides += [np.split(ids, edges), np.split(words, edges)]
    src, src_words, tgt, tgt_words = sides
    rows = zip(src, tgt, src_words, tgt_words, strict=True)
    return [EncodedPair(index, *row) for index, row in enumerate(rows)]


def length_batches(pairs: Iterable[EncodedPair], encoding: str, batch_tokens: int) -> Iterator[list[EncodedPair]]:
    """Batches of similar lengths, longest first, so that memory runs out at the start if at all; padding counts."""
    joint = encoding == "joint"
    batch: list[EncodedPair] = []
    widest = (0, 0)
    for pair in sorted(pairs, key=lambda pair: sum(pair.sizes) if joint else sorted(pair.sizes)[::-1], reverse=True):
        # The lengths that determine padding: of the joint pair, or of each side.
        lengths = (sum(pair.sizes) + 3, 0) if joint else (len(pair.src) + 2, len(pair.tgt) + 2)
        wider = max(widest[0], lengths[0]), max(widest[1], lengths[1])
        if batch and (len(batch) + 1) * sum(wider) > batch_tokens:
            yield batch
            batch, wider = [], lengths
        batch.append(pair)
        widest = wider
    if batch:
        yield batch
