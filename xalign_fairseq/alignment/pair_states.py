"""How the aligner encodes sentence pairs: as one sequence or side by side, with linear maps and language embeddings."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.samples import BOS, EOS, pair_sequence
from xalign_fairseq.encoder.inputs import Input, in_target
from xalign_fairseq.encoder.mappings import LanguageMaps, MappedStates, States
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.errors import XalignError

ENCODINGS = ("joint", "separate")
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

        states, spans = PairEncoder(encoder, "separate").states([(src_ids, tgt_ids)])
        links, probability = pair_links(states.layer(8), spans)
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

    def fit(self, n: int, m: int) -> tuple[int, int, bool]:
        """How many of n and m tokens are read, and whether that is fewer.

        Of a joint pair that is longer than the encoder's positions both sides are cut by the same proportion.
        """
        positions = self.encoder.config.max_positions
        if n == 0 or m == 0:  # has no links, and is not encoded
            return n, m, False
        if self.encoding == "separate":
            return min(n, positions - 2), min(m, positions - 2), max(n, m) > positions - 2
        room = positions - 3
        if n + m <= room:
            return n, m, False
        n = max(1, room * n // (n + m))
        return n, room - n, True

    def states(self, pairs: Sequence[Ids]) -> tuple[States, Tensor]:
        """Hidden states by layer (B, T, H), and spans (B, 4) int64 in them: [src start, src end, tgt start, tgt end).

        Args:
            pairs: token ids of both sides, (n,) and (m,), as many as :meth:`fit`.
        """
        if self.encoding == "joint":
            sequences, sides = zip(*(pair_sequence(src, tgt) for src, tgt in pairs), strict=True)
            tokens = self._padded(sequences)
            spans = torch.from_numpy(np.stack(sides)).to(tokens.device)
            return self.encoder.states(Input(tokens, self._joint_rows(tokens, spans))), spans
        src, tgt = (self._padded([np.array([BOS, *ids, EOS]) for ids in side]) for side in zip(*pairs, strict=True))
        start = src.shape[1] + 1
        spans = torch.tensor([[1, 1 + len(a), start, start + len(b)] for a, b in pairs]).to(src.device)
        return _Joined([self._side(tokens, number) for number, tokens in enumerate((src, tgt))]), spans

    def _padded(self, sequences: Sequence[np.ndarray]) -> Tensor:
        return pad(sequences, self.encoder.config.pad).to(self.encoder.lm_head.bias.device)

    def _joint_rows(self, tokens: Tensor, spans: Tensor) -> Tensor | None:
        """(B, T) rows of the language embeddings."""
        if self._rows is None:
            return None
        src, tgt = self._rows
        return in_target(spans, tokens.shape[1]) * (tgt - src) + src

    def _side(self, tokens: Tensor, number: int) -> States:
        rows = None if self._rows is None else tokens.new_full((len(tokens), 1), self._rows[number])
        states = self.encoder.states(Input(tokens, rows))
        if self.maps is None or self.mapped is None:
            return states
        return MappedStates(states, self.maps, [self.mapped[number]] * len(tokens))


class _Joined:
    """Separate passes over both sides as one, the target's positions behind the source's."""

    def __init__(self, sides: Sequence[States]):
        self._sides = sides

    def layer(self, layer: int = -1) -> Tensor:
        """Hidden states (B, T_src + T_tgt, H)."""
        return torch.cat([side.layer(layer) for side in self._sides], 1)
