"""Settings of fine-tuning, with defaults, checks and fairseq's options for them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, make_dataclass, replace
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.fairseq_train import adam_options, flags
from xalign_fairseq.transfer.structured import LENGTHS, structured


@dataclass(frozen=True)
class Settings:
    """Settings of all families; the defaults are those of Wu & Dredze (2020), section 3.

    Attributes:
        lr: peak learning rate; it grows linearly from 0 during the warm-up and then falls linearly to 0.
        epochs: passes over the training examples, unless ``updates`` is given.
        updates: number of updates.
        batch_size: examples that a device reads at a time.
        update_freq: batches per update.
        warmup: a share of the updates if below 1, otherwise a number of updates.
        weight_decay: decoupled (Loshchilov & Hutter 2019).
        adam_betas, adam_eps: Adam's parameters.
        clip_norm: largest norm of the gradient; 0 for no limit.
        dropout, attention_dropout: of the encoder.
        max_length, overlap: tokens of a window, and tokens shared by two windows; None: the benchmark's default.
        pair_separators: ``</s>`` between two texts, 1 or 2; None: the number of the encoder's tokenizer.
        freeze_layers: keep the embeddings and this number of layers as pre-trained (Wu & Dredze 2019); 0: only
            the embeddings.
        feature_based: keep the encoder fixed and learn a mix of its layers.
        extra_layers: Transformer layers on top of a feature-based encoder.
        validate_every: updates between two validations; None: once per epoch.
    """

    lr: float = 2e-5
    epochs: int | None = None
    updates: int | None = None
    batch_size: int = 32
    update_freq: int = 1
    warmup: float = 0.1
    weight_decay: float = 0.0
    adam_betas: list[float] = field(default_factory=lambda: [0.9, 0.999])
    adam_eps: float = 1e-8
    clip_norm: float = 1.0
    dropout: float = 0.1
    attention_dropout: float = 0.1
    max_length: int | None = None
    overlap: int | None = None
    pair_separators: int | None = None
    freeze_layers: int | None = None
    feature_based: bool = False
    extra_layers: int = 4
    validate_every: int | None = None


NAMES = tuple(each.name for each in fields(Settings))
DEFAULT_EPOCHS = 5
_POSITIVE = ("lr", "epochs", "updates", "batch_size", "update_freq", "adam_eps", "max_length", "validate_every")
_SHARES = ("dropout", "attention_dropout", "adam_betas")


def read_settings(
    layers: Sequence[Mapping[str, Any]], family_defaults: Mapping[str, Any], where: str
) -> tuple[Settings, dict[str, Any]]:
    """Settings from mappings, the last one first, and the family's options in them; ``where`` is for errors."""
    # A setting of both (dropout) is a single option of fairseq.
    family = {name: default for name, default in family_defaults.items() if name not in NAMES}
    options = [(name, int | None if default is None else type(default), default) for name, default in family.items()]
    found: dict[str, Any] = {}
    for layer in layers:
        lengths = [name for name in LENGTHS if layer.get(name) is not None]
        if len(lengths) == 2:
            raise XalignError("the length is given twice", where=where, found="epochs and updates", expected="one")
        found |= {**dict.fromkeys(LENGTHS if lengths else ()), **layer}
    values: Any = structured(make_dataclass("TaskSettings", options, bases=(Settings,), frozen=True), found, where)
    settings = Settings(**{name: getattr(values, name) for name in NAMES})
    if settings.epochs is None and settings.updates is None:
        settings = replace(settings, epochs=DEFAULT_EPOCHS)
    _check(settings, where)
    return settings, {name: getattr(values, name) for name in found if name in family}


def update_counts(settings: Settings, batches: int) -> tuple[int, int]:
    """The numbers of updates and warm-up updates, given the batches of an epoch."""
    per_epoch = math.ceil(batches / settings.update_freq)
    total = settings.updates or per_epoch * (settings.epochs or DEFAULT_EPOCHS)
    warmup = round(settings.warmup * total) if settings.warmup < 1 else round(settings.warmup)
    return total, warmup


def optimiser_options(settings: Settings, updates: int, warmup: int) -> list[str]:
    """fairseq's options: Adam with decoupled weight decay, linear warm-up and decay to 0 over ``updates``."""
    options: dict[str, Any] = {
        **adam_options(
            settings.lr, updates, settings.batch_size, settings.adam_betas, settings.adam_eps, settings.clip_norm
        ),
        "--weight-decay": f"{settings.weight_decay:g}",
        "--warmup-updates": warmup,
        "--update-freq": settings.update_freq,
    }
    if settings.epochs is not None:
        options["--max-epoch"] = settings.epochs
    if settings.validate_every is not None:
        options |= {"--validate-interval-updates": settings.validate_every}
        options |= {"--save-interval-updates": settings.validate_every, "--keep-interval-updates": 1}
    return flags(options)


def _check(settings: Settings, where: str) -> None:
    for name, value in asdict(settings).items():
        numbers = value if isinstance(value, list) else [] if value is None else [value]
        if name == "adam_betas" and len(value) != 2:
            fits, expected = False, "two numbers, such as [0.9, 0.98]"
        elif name in _SHARES:
            fits, expected = all(0 <= each < 1 for each in numbers), "from 0 to below 1"
        elif name in _POSITIVE:
            fits, expected = all(0 < each < math.inf for each in numbers), "above 0"
        else:
            fits, expected = all(0 <= each < math.inf for each in numbers), "at least 0"
        if not fits:
            raise XalignError("a setting is out of bounds", where=f"{where}, {name}", found=value, expected=expected)
