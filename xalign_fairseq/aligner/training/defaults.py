"""What a training does unless it is told otherwise, where a known family of encoders has its own best."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

# Options of a run, chosen by development gold: Hansards' trial, INESC's en-fr, WPT05's en-hi trial, and XL-WA's en-es,
# en-ru and en-hu for pairs without text of their own.
FAMILIES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "e5-small": MappingProxyType(
            {
                "objectives": ("self_training",),
                "updates": 200,
                "batch_size": 32,
                "lr": 2e-5,
                "warmup": 50,
                "validate_every": 50,
                "layer": 7,
                "freeze_layers": 0,
                "pointer_start": "identity",
            }
        ),
    }
)
# Of these the labels are others', or there is a head to learn, which takes longer; the layer is the same.
SELF_LABELLED = ("objectives", "updates", "batch_size", "lr", "warmup", "validate_every")


def family_options(family: str | None, self_labelled: bool) -> dict[str, Any]:
    """The options of a training that a known family of encoders has for its own; none for any other model.

    Args:
        family: as :mod:`~xalign_fairseq.encoder.known` names it.
        self_labelled: the model is to learn from its own links, without a head.

    Example::

        family_options("e5-small", self_labelled=True)["objectives"]  # ("self_training",)
    """
    options = FAMILIES.get(family or "", {})
    return {name: value for name, value in options.items() if self_labelled or name not in SELF_LABELLED}
