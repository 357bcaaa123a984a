"""What the masked-language-model head is to predict, said before it runs."""

from dataclasses import dataclass

from torch import Tensor

from xalign_fairseq.data.inputs import Input


@dataclass(frozen=True, eq=False)
class Prediction:
    """Tokens that are predicted from the last layer's states; no two predictions are the same, whatever is in them.

    Attributes:
        input: what the encoder reads.
        positions: (N,) int64, where the tokens are in its flattened (B * T,).
        labels: (N,) int64, the tokens.
    """

    input: Input
    positions: Tensor
    labels: Tensor

    @classmethod
    def of(cls, given: Input, targets: Tensor, positions: Tensor) -> "Prediction":
        """The targets (B, T) at some positions.

        Example::

            Prediction.of(mono.input(), mono.targets, mono.predicted)
        """
        return cls(given, positions, targets.flatten().index_select(0, positions))
