"""The argument of an objective's forward pass: the encoder of the update, the objective's head and streams."""

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
        encoder: runs the passes, which all objectives of the update share.
        batch: the streams that the objective needs; read them as :attr:`bitext` and :attr:`mono`.
        head: the module that its ``build_head`` made, as the model has it now; None without one.
        predictions: what the objective's ``predicts`` returned.

    Example::

        hidden = step.encoder.states(step.bitext.input()).layer(-1)      # (B, T, H)
        projected = step.head(hidden)
    """

    encoder: StepEncoder
    batch: Batch
    head: Any = None
    predictions: Sequence[Prediction] = ()

    @property
    def bitext(self) -> Bitext:
        """The pairs of the batch; XalignError for an objective that does not declare that it needs them."""
        return declared(self.batch.bitext, "bitext")

    @property
    def mono(self) -> Mono:
        """The monolingual blocks of the batch; XalignError for an objective that does not declare its need."""
        return declared(self.batch.mono, "mono")

    @property
    def training(self) -> bool:
        """Whether this is an update, not validation."""
        return self.encoder.training

    @property
    def update(self) -> int:
        """How many updates were done before this one."""
        return self.encoder.update


def declared(stream: Stream | None, name: str) -> Stream:
    """A stream of a batch that has been narrowed to an objective's needs; XalignError where it is not among them."""
    if stream is None:
        raise XalignError(
            "an objective reads a stream that it did not declare",
            where=f"step.{name}",
            expected=f'traits = Traits(needs=("{name}", ...)) in its class',
        )
    return stream
