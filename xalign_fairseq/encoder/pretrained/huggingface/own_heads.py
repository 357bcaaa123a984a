"""The masked-language-model heads of models that transformers runs, where they are of our own head's form."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.encoder.bodies.family import BodyFamily
from xalign_fairseq.encoder.masked_lm import HEAD, PARTS

OPTIONAL = ("dense.bias", "layer_norm.bias", "bias")  # zero where a model has none


def own_head(
    weights: Mapping[str, Tensor], family: BodyFamily, settings: Mapping[str, Any], order: Tensor
) -> dict[str, Tensor] | None:
    """Our names of the head's tensors, without the embeddings; None where it has none of logits = E LN(gelu(W h)) + b.

    Such a head has another activation, an output map of its own, or parameters are missing.

    Args:
        weights: of the folder, by the family's names.
        family: of the model.
        settings: ``config.json``.
        order: (V,) their ids, by ours.
    """
    embeddings = next((weights[name] for name in weights if name.endswith(f"{family.embeddings}.weight")), None)
    if not family.head or embeddings is None or settings.get(family.head_activation, "gelu") != "gelu":
        return None
    output = weights.get(f"{family.output}.weight")
    if output is not None and not torch.equal(output, embeddings):
        return None
    rows, dim = embeddings.shape
    shapes = {"dense.weight": (dim, dim), "bias": (rows,)}
    made = {}
    for part in PARTS:
        shape = shapes.get(part, (dim,))
        value = weights.get(family.head[part], torch.zeros(shape) if part in OPTIONAL else None)
        if value is None or tuple(value.shape) != shape:
            return None
        made[HEAD + part] = (value[order] if part == "bias" else value).float()
    return made
