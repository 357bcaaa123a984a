"""Layers of an encoder: as numbers, as text, and at the same depth in encoders of other sizes."""

from collections.abc import Sequence

from xalign_fairseq.core.errors import XalignError


def at_depth(depth: int, *of_twelve: int) -> tuple[int, ...]:
    """Layers of a 12-layer encoder at the same relative depth in one of ``depth`` layers; at least 1, each once."""
    return tuple(dict.fromkeys(max(1, round(layer * depth / 12)) for layer in of_twelve))


def layer_range(layers: Sequence[int]) -> str:
    """Layers as text: ``7``, ``6-8`` for consecutive layers, otherwise ``5,7``."""
    if len(layers) > 1 and list(layers) == list(range(layers[0], layers[-1] + 1)):
        return f"{layers[0]}-{layers[-1]}"
    return ",".join(map(str, layers))


def resolve_layer(layer: int, depth: int, parameter: str = "layer") -> int:
    """A layer of an encoder of ``depth`` layers as 0 (embeddings) ... ``depth``; negative ones count from the end."""
    resolved = layer if layer >= 0 else depth + 1 + layer
    if not 0 <= resolved <= depth:
        expected = f"0 (embeddings) to {depth}, or -1 to -{depth + 1} from the end"
        raise XalignError("the encoder has no such layer", parameter=parameter, found=layer, expected=expected)
    return resolved
