"""The argument of an objective's forward pass: encoder, head and streams."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import Batch, Bitext, Mono
from xalign_fairseq.encoder.hidden_states import Prediction
from xalign_fairseq.encoder.passes import StepEncoder

Stream = TypeVar("Stream", Bitext, Mono)


@dataclass(frozen=True)
class Step:
    """One objective's part of one update.

    Attributes:
        encoder: runs the passes, shared by all objectives of the update.
        batch: the required streams; read them as :attr:`bitext` and :attr:`mono`.
        head: the module from ``build_head``, with its current parameters; None without one.
        predictions: the result of the objective's ``predicts``.
    """

    encoder: StepEncoder
    batch: Batch
    head: Any = None
    predictions: Sequence[Prediction] = ()

    @property
    def bitext(self) -> Bitext:
        """The pairs of the batch; XalignError if the objective does not declare this need."""
        return declared(self.batch.bitext, "bitext")

    @property
    def mono(self) -> Mono:
        """The monolingual blocks of the batch; XalignError if the objective does not declare this need."""
        return declared(self.batch.mono, "mono")

    @property
    def training(self) -> bool:
        """True in an update, False in validation."""
        return self.encoder.training

    @property
    def update(self) -> int:
        """The number of earlier updates."""
        return self.encoder.update


def declared(stream: Stream | None, name: str) -> Stream:
    """Return a batch's stream; raise XalignError if the objective did not declare it."""
    if stream is None:
        expected = f'traits = Traits(needs=("{name}", ...)) in its class'
        problem = "an objective reads a stream that it did not declare"
        raise XalignError(problem, where=f"step.{name}", expected=expected)
    return stream
