"""The defaults of a training, with those of known families of encoders."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

Options = Mapping[str, Any]


class FamilyTraining(NamedTuple):
    """Options of a run: for all runs, for runs that learn from the model's own links without a head, and for others."""

    any: Options
    self_labelled: Options
    other: Options


# By development gold: Hansards' trial, INESC's en-fr, WPT05's en-hi trial, and XL-WA's en-es, en-ru and en-hu for pairs
# without text of their own. Speed decides on trimming: only objectives that predict pieces pay for the vocabulary.
FAMILIES: Mapping[str, FamilyTraining] = MappingProxyType(
    {
        "e5-small": FamilyTraining(
            any={"layer": 7, "freeze_layers": 0, "pointer_start": "identity"},
            self_labelled={
                "objectives": ("self_training",),
                "method": "grow",
                "updates": 200,
                "batch_size": 32,
                "lr": 2e-5,
                "warmup": 50,
                "validate_every": 50,
            },
            other={"trim_vocabulary": True},
        ),
    }
)


def family_options(family: str | None, self_labelled: bool) -> dict[str, Any]:
    """The options of a training that a known family of encoders has for its own; none for any other model."""
    found = FAMILIES.get(family or "")
    return {} if found is None else {**found.any, **(found.self_labelled if self_labelled else found.other)}
