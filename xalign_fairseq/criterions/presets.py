"""Criterions made from the registered objectives: ``--criterion NAME`` is the weighted sum with its own default set.

Every preset takes the options of all objectives, so that ``--criterion xlm_align --objectives mlm,tlm,dwa,mine`` works
for an objective that is registered later, outside this package.
"""

import dataclasses
from types import UnionType
from typing import Any, Union, get_args

from fairseq.criterions import CRITERION_DATACLASS_REGISTRY, register_criterion
from fairseq.dataclass import FairseqDataclass
from hydra.core.config_store import ConfigStore

from xalign_fairseq.criterions.weighted import WeightedConfig, WeightedCriterion
from xalign_fairseq.objectives.registry import LISTENERS, OBJECTIVES, options_of

# Name of a criterion -> its default objectives; and its own defaults of other options.
PRESETS: dict[str, tuple[str, ...]] = {}
DEFAULTS: dict[str, dict[str, Any]] = {}
CLASSES: dict[str, type[WeightedCriterion]] = {}


def add(name: str, objectives: tuple[str, ...], **defaults: object) -> None:
    """Register ``--criterion name`` with these objectives and values of other options as its defaults."""
    PRESETS[name], DEFAULTS[name] = objectives, defaults
    class_name = "".join(part.capitalize() for part in name.split("_")) + "Criterion"
    CLASSES[name] = type(class_name, (WeightedCriterion,), {"__module__": __name__})
    register_criterion(name, dataclass=_options(name))(CLASSES[name])


def add_objective(name: str) -> None:
    """Give a new objective its own criterion, and its options to all criterions that are there already."""
    for preset in PRESETS:
        options = _options(preset)
        CRITERION_DATACLASS_REGISTRY[preset] = options
        setattr(CLASSES[preset], "__dataclass", options)
        node = options()
        node._name = preset
        ConfigStore.instance().store(name=preset, group="criterion", node=node, provider="fairseq")
    if name not in PRESETS:
        add(name, (name,))


def listen() -> None:
    """Give each registered objective its own criterion, now and for later ones."""
    for name in OBJECTIVES:
        add(name, (name,))
    LISTENERS.append(add_objective)


def _options(preset: str) -> type[FairseqDataclass]:
    """The weighted criterion's own options and, prefixed by its name, every option of every objective."""
    defaults = {"objectives": ",".join(PRESETS[preset]), **DEFAULTS[preset]}
    own = WeightedConfig.__dataclass_fields__
    fields: list[Any] = [
        (option, own[option].type, dataclasses.field(default=value, metadata=dict(own[option].metadata)))
        for option, value in defaults.items()
        if option in own
    ]
    for name, objective in OBJECTIVES.items():
        for option in options_of(objective):
            full = f"{name}_{option.name}"
            metadata = {**option.metadata, "help": f"{name}: {option.metadata.get('help', '')}"}
            default = defaults.get(full, option.default)
            fields.append((full, _fairseq_type(option.type), dataclasses.field(default=default, metadata=metadata)))
    made = dataclasses.make_dataclass(f"{preset}_options", fields, bases=(WeightedConfig,))
    made.__module__ = __name__
    return made


def _fairseq_type(annotation: object) -> Any:
    """``Optional[int]`` for ``int | None``, which fairseq's parser does not know."""
    return Union[get_args(annotation)] if isinstance(annotation, UnionType) else annotation
