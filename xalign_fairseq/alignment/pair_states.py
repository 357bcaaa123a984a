"""How the aligner encodes sentence pairs: as one sequence or side by side, with linear maps and language embeddings."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.alignment.windows import pair_windows
from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.samples import BOS, EOS, pair_sequence
from xalign_fairseq.encoder.inputs import Input, in_target
from xalign_fairseq.encoder.mappings import LanguageMaps, MappedStates, States
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.errors import XalignError

ENCODINGS = ("joint", "separate")
# The sentences of a batch of separate pairs are encoded in so many groups of similar lengths: on real text this takes
# the share of padding from a tenth to a fiftieth.
GROUPS = 8
Ids = tuple[np.ndarray, np.ndarray]


class PairEncoder:
    """Token ids of sentence pairs to hidden states, and where in them the sides lie.

    Args:
        encoder: in evaluation mode, on the device to use.
        encoding: ``joint``: ``<s> src </s> tgt </s>``; ``separate``: ``<s> src </s>`` and ``<s> tgt </s>``, as
            awesome-align, SimAlign and the explicit alignment objectives do.
        maps: linear maps to apply to separately encoded sides.
        languages: of source and target; maps and encoders with language embeddings need them.

    Attributes:
        mapped: the languages, if maps are applied to them.
        embedded: the languages, if the encoder adds their embeddings.

    Raises:
        XalignError: an unknown encoding, maps with the joint one, a language without a map or without an embedding.

    Example::

        states, spans = PairEncoder(encoder, "separate").states([(src_ids, tgt_ids)], [8])
        links, probability = Transport()(states[8], spans)
    """

    def __init__(
        self,
        encoder: Encoder,
        encoding: str,
        maps: LanguageMaps | None = None,
        languages: tuple[str, str] | None = None,
    ):
        if encoding not in ENCODINGS:
            raise XalignError(
                "there is no such encoding", where="--encoding", found=encoding, expected=" or ".join(ENCODINGS)
            )
        if maps is not None:
            if languages is None or encoding == "joint":
                raise XalignError(
                    "linear maps are of separately encoded sides",
                    where="--maps, --encoding",
                    found="no languages" if languages is None else f"the encoding {encoding}",
                    next="--encoding separate, or leave --maps out",
                )
            maps.require(languages, "--maps")
        self.encoder, self.encoding, self.maps = encoder, encoding, maps
        self._rows = encoder.config.side_rows(languages)
        self.mapped = languages if maps is not None else None
        self.embedded = languages if self._rows is not None else None

    def fits(self, n: int, m: int) -> bool:
        """Whether sides of n and m tokens are within the encoder's positions."""
        positions = self.encoder.config.max_positions
        return n + m + 3 <= positions if self.encoding == "joint" else max(n, m) + 2 <= positions

    def states(self, pairs: Sequence[Ids], layers: Collection[int]) -> tuple[dict[int, Tensor], Tensor]:
        """Hidden states (B, T, H) by layer, and spans (B, 4) int64 in them: [src start, src end, tgt start, tgt end).

        Args:
            pairs: token ids of both sides, (n,) and (m,), which :meth:`fits`.
            layers: 0 embeddings; the encoder runs as far as the highest.
        """
        if self.encoding == "separate":
            return self._separate_states(pairs, layers)
        sequences, sides = zip(*(pair_sequence(src, tgt) for src, tgt in pairs), strict=True)
        tokens = self._padded(sequences)
        spans = torch.from_numpy(np.stack(sides)).to(tokens.device)
        states = self.encoder.states(Input(tokens, self._joint_rows(tokens, spans)))
        return {layer: states.layer(layer) for layer in layers}, spans

    def long_states(
        self, src: np.ndarray, tgt: np.ndarray, layers: Collection[int], batch_tokens: int
    ) -> tuple[dict[int, Tensor], Tensor]:
        """As :meth:`states` for one pair beyond the positions, in overlapping windows; no special tokens are in them.

        Every token has the state of the window in which it is furthest from an edge
        (:func:`~xalign_fairseq.alignment.windows.pair_windows`).

        Args:
            batch_tokens: most tokens in a batch of windows; one window at least is always taken.
        """
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
                    tokens = torch.from_numpy(windows[side].owned(number)).to(spans.device)
                    places = tokens - windows[side].starts[number] + spans[row, 2 * side]
                    for layer, hidden in states.items():
                        whole = found.setdefault(layer, hidden.new_empty(1, n + m, hidden.shape[2]))
                        whole[0, tokens + offset] = hidden[row, places]
        return found, torch.tensor([[0, n, n, n + m]]).to(spans.device)

    def _padded(self, sequences: Sequence[np.ndarray]) -> Tensor:
        return pad(sequences, self.encoder.config.pad).to(self.encoder.lm_head.bias.device)

    def _joint_rows(self, tokens: Tensor, spans: Tensor) -> Tensor | None:
        """(B, T) rows of the language embeddings."""
        if self._rows is None:
            return None
        src, tgt = self._rows
        return in_target(spans, tokens.shape[1]) * (tgt - src) + src

    def _separate_states(self, pairs: Sequence[Ids], layers: Collection[int]) -> tuple[dict[int, Tensor], Tensor]:
        """Both sides of a row behind each other, each as long as the longest of all."""
        sentences = [np.array([BOS, *ids, EOS]) for pair in pairs for ids in pair]
        longest = max(map(len, sentences))
        found: dict[int, Tensor] = {}
        for rows in _groups([len(sentence) for sentence in sentences]):
            states = self._sentence_states([sentences[row] for row in rows], [row % 2 for row in rows])
            for layer in layers:
                hidden = states.layer(layer)
                size = len(sentences), longest, hidden.shape[2]
                whole = found[layer] if layer in found else found.setdefault(layer, hidden.new_zeros(size))
                whole[rows, : hidden.shape[1]] = hidden
        starts = 1, longest + 1
        spans = [[edge for start, ids in zip(starts, pair, strict=True) for edge in (start, start + len(ids))]
                 for pair in pairs]  # fmt: skip
        device = self.encoder.lm_head.bias.device
        return {k: v.view(len(pairs), 2 * longest, -1) for k, v in found.items()}, torch.tensor(spans).to(device)

    def _sentence_states(self, sentences: Sequence[np.ndarray], sides: Sequence[int]) -> States:
        """Sentences by themselves, each in the language of its side."""
        tokens = self._padded(sentences)
        languages = None if self._rows is None else tokens.new_tensor([[self._rows[side]] for side in sides])
        states = self.encoder.states(Input(tokens, languages))
        if self.maps is None or self.mapped is None:
            return states
        return MappedStates(states, self.maps, [self.mapped[side] for side in sides])


def _groups(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows of similar lengths, about equally many tokens in each of at most :data:`GROUPS`."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    room = sum(lengths) / GROUPS
    group: list[int] = []
    for row in order:
        if group and (len(group) + 1) * lengths[group[0]] > room:
            yield group
            group = []
        group.append(row)
    yield group
