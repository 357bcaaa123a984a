"""What the layers of one pass have to know beside the hidden states: the sentences, and the places in them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.packing import Packing, positions_of


@dataclass(eq=False)
class Surroundings:
    """The sentences of one pass, packed in a row or padded, as transformers' layers are run over them.

    Attributes:
        packing: of the inputs; None: one input with its padding.
        padding: (B, T) bool, True at padding; of packed sentences (1, N), False.
        positions: (B, T) or (1, N) int64, from 1 on; 0 at padding.
        longest: tokens of the longest sentence, or T.
    """

    packing: Packing | None
    padding: Tensor
    positions: Tensor
    longest: int
    _made: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, inputs: Sequence[Input], packing: Packing | None, pad: int) -> "Surroundings":
        """Of the inputs of a pass: several where there is a packing, else one."""
        if packing is None:
            [given] = inputs
            return cls(None, given.tokens.eq(pad), positions_of(given, pad), given.tokens.shape[1])
        positions = packing.row([positions_of(given, pad) for given in inputs])[None]
        longest = packing.sentences.runs[-1][1] if packing.sentences.runs else 0
        return cls(packing, torch.zeros_like(positions, dtype=torch.bool), positions, longest)

    def batch(self, x: Tensor) -> Tensor:
        """Hidden states (N, H) or (B, T, H) as layers read them, (1, N, H) or (B, T, H)."""
        return x if self.packing is None else x[None]

    def row(self, x: Tensor) -> Tensor:
        """The inverse of :meth:`batch`."""
        return x if self.packing is None else x[0]

    def once(self, make: Callable[[], Any]) -> Any:
        """What ``make`` gave when it was first called for."""
        if not self._made:
            self._made.append(make())
        return self._made[0]
