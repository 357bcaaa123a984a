"""Non-finite hidden states: of a damaged model (an error), or of one text that overflows."""

from collections.abc import Iterable

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.samples import BOS, EOS
from xalign_fairseq.encoder.transformer import Encoder


def finite_rows(encoder: Encoder, states: Iterable[Tensor]) -> Tensor:
    """Which texts of a batch have finite hidden states in all of some layers: (B,) bool, on the CPU.

    Raises:
        XalignError: the states of a text without words are not finite either, so the model is damaged.
    """
    # A sum is finite if all are: nothing is copied.
    sums = [hidden.sum((1, 2), dtype=torch.promote_types(hidden.dtype, torch.float32)) for hidden in states]
    rows = torch.stack(sums).isfinite().all(0).cpu()
    if not rows.all() and (layer := bad_layer(encoder)) is not None:
        raise XalignError(
            "the model's hidden states are not finite numbers",
            where=encoder.name,
            found=f"NaN or infinity from {f'layer {layer}' if layer else 'the embeddings'} on, in a text without words",
            expected="weights that are finite in the dtype that is used",
            remedy="use an earlier checkpoint, or another dtype",
        )
    return rows


@torch.no_grad()
def bad_layer(encoder: Encoder) -> int | None:
    """The first layer whose states of ``<s> </s>`` are not finite, 0 for the embeddings; None if all are."""
    tokens = torch.tensor([[BOS, EOS]], device=encoder.device)
    languages = torch.zeros_like(tokens[:, :1]) if encoder.config.languages else None
    states = encoder.states(Input(tokens, languages=languages))
    layers = range(encoder.config.encoder_layers + 1)
    return next((layer for layer in layers if not bool(states.layer(layer).isfinite().all())), None)
