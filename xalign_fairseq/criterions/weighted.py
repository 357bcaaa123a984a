"""The weighted sum of objectives, computed in one call of the model per update."""

import logging
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from types import UnionType
from typing import Any, Optional, Union, get_args, get_type_hints

import torch
from fairseq import metrics
from fairseq.criterions import CRITERION_DATACLASS_REGISTRY, CRITERION_REGISTRY, FairseqCriterion, register_criterion
from fairseq.dataclass import FairseqDataclass
from hydra.core.config_store import ConfigStore
from torch import Tensor

from xalign_fairseq.core.counts import listed
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.criterions.validation import AerCounter
from xalign_fairseq.data.pretraining import option
from xalign_fairseq.data.samples import BOS, PAD
from xalign_fairseq.objectives.presets import Preset
from xalign_fairseq.objectives.registry import LISTENERS, OBJECTIVES, options_of
from xalign_fairseq.trainer.host_numbers import logged_sums
from xalign_fairseq.training.weighted_sum import WeightedSum
from xalign_fairseq.transport.sinkhorn import backend

logger = logging.getLogger(__name__)
LONGEST = 160  # limit for a text in a message


def describe_batch(sample: Mapping[str, Any], task: Any) -> str:
    """A batch's description: numbers of pairs and blocks, languages, epoch, and the beginning of the first pair and
    block.
    """
    parts, epoch = [], task.datasets["train"].now
    for stream, noun in (("bitext", "pairs"), ("mono", "blocks")):
        batch = sample.get(stream)
        if batch is None:
            continue
        tokens = batch["tokens"] if "tokens" in batch else batch["masked"]
        languages = sorted({task.source.all_languages[each] for each in batch["langs"].flatten().tolist()})
        symbols = [*task.dictionary.symbols, "<mask>"]
        text = " ".join(symbols[each] for each in tokens[0].tolist() if each not in (BOS, PAD))
        parts.append(f'{len(tokens)} {noun} of {", ".join(languages)} in epoch {epoch}, the first: "{text[:LONGEST]}"')
    return " and ".join(parts)


@dataclass
class WeightedConfig(FairseqDataclass):
    """Options of every criterion of this package; objectives add their options."""

    objectives: str = option("", "objectives to sum, separated by commas")
    loss_normalization: str = option(
        "joint",
        "joint: divide all losses by the number of all predictions (released code); per-objective: divide each loss "
        "by its own number of predictions in the update (the paper's sum of losses)",
    )
    aer_layer: Optional[int] = option(None, "layer whose links validation scores (default: the labelling layer)")
    aer_filter: Optional[str] = option(None, "filter of the links that validation scores (default: that of the labels)")
    aer_similarity: Optional[str] = option(
        None,
        "similarity of the links that validation scores: hidden (h_i . h_j) or pointer (scores of dwa's pointer, at "
        "its layer) (default: that of the labels)",
    )
    sinkhorn_backend: str = option(
        "auto",
        "how to compute transport: auto (the compiled operator if available, otherwise PyTorch; the log says which "
        "and why), reference (PyTorch), cpu or cuda",
    )


def warn_of_unused(cfg: Any, usual: Any, active: Collection[str]) -> None:
    """Log the options of objectives that are not in the sum, if they differ from the criterion's defaults."""
    names = [f"{name}_{each.name}" for name in OBJECTIVES.keys() - active for each in options_of(OBJECTIVES[name])]
    if unused := sorted(name for name in names if getattr(cfg, name) != getattr(usual, name)):
        logger.warning("no effect, because their objectives are not in the sum: %s", ", ".join(unused))


class WeightedCriterion(WeightedSum, FairseqCriterion):
    """:class:`~xalign_fairseq.training.weighted_sum.WeightedSum` as fairseq's criterion, with AER in validation."""

    def __init__(self, cfg: Any, task: Any):
        FairseqCriterion.__init__(self, task)
        self.cfg = cfg
        backend.select(cfg.sinkhorn_backend)  # raises before training if a backend is unavailable
        objectives = [
            OBJECTIVES[name](
                **{each.name: getattr(cfg, f"{name}_{each.name}") for each in options_of(OBJECTIVES[name])}
            )
            for name in _names(cfg.objectives)
        ]
        # fairseq sets the attribute; without getattr, Python would mangle its name.
        warn_of_unused(cfg, getattr(type(self), "__dataclass")(), {each.name for each in objectives})
        WeightedSum.__init__(self, objectives, cfg.loss_normalization, task.source)
        self.aer = AerCounter(cfg.aer_layer, cfg.aer_filter, cfg.aer_similarity)
        self.seen: list[dict[str, Tensor]] = []  # losses of the update's micro-batches

    def attach_heads(self, model: Any) -> None:
        editing = [objective.name for objective in self.active if objective.traits.edits_parameters]
        if editing and self.task.has_master_weights:
            problem = f"{', '.join(editing)} changes its parameters between updates, which mixed precision would undo"
            allowed = (Parameter("memory_efficient_fp16"), "or", Parameter("memory_efficient_bf16"), "or float32")
            raise XalignError(problem, parameter=("fp16", "bf16"), expected=allowed)
        super().attach_heads(model)
        self.aer.prepare(model.encoder.config, self.active)

    def begin_update(self, samples: Sequence[dict[str, Any] | None], device: torch.device) -> None:
        """Called with all micro-batches of an update before the first one runs."""
        self.seen.clear()
        if not self.joint:
            self.update.begin(samples, device)

    def nonfinite(self, samples: Sequence[dict[str, Any] | None]) -> str:
        """The objectives of the last update whose loss is not finite, and their batches; empty without any."""
        found = []
        for number, (losses, sample) in enumerate(zip(self.seen, samples, strict=False), 1):
            names = [name for name, loss in losses.items() if not loss.isfinite()]
            if names and sample:
                place = f"batch {number} of {len(samples)}" if len(samples) > 1 else "the batch"
                found.append(f"the loss of {', '.join(names)} in {place} of {describe_batch(sample, self.task)}")
        return "; ".join(found)

    def forward(self, model: Any, sample: dict[str, Any], reduce: bool = True) -> tuple[Tensor, Any, dict[str, Any]]:
        batch = self.batch(sample)
        losses, aer = model(lambda encoder: (self.losses(encoder, batch), self.aer.counts(encoder, batch, self.task)))
        if self.training:
            self.seen.append({name: loss.total.detach() for name, loss in losses.items()})
        total, count = self.total(losses, self.training)
        logs: dict[str, Any] = {
            "loss": total.detach(),
            "sample_size": count,
            "ntokens": sample["ntokens"],
            "nsentences": sample["nsentences"],
            **aer,
        }
        for name, loss in losses.items():
            logs[f"{name}/loss/sum"], logs[f"{name}/loss/count"] = loss.total.detach(), loss.count
            for stat, (part, whole) in loss.stats.items():
                logs[f"{name}/{stat}/sum"], logs[f"{name}/{stat}/count"] = part, whole
        return total, count, logs

    @staticmethod
    def reduce_metrics(logging_outputs: list[dict[str, Any]]) -> None:
        """Log every objective's loss per prediction (nats in bits), its stats as ratios, and AER.

        The total loss is divided by log 2, as in fairseq's criterions, for all objectives.
        """
        sums = logged_sums(logging_outputs)
        size = max(sums["sample_size"], 1)
        metrics.log_scalar("loss", sums["loss"] / size / math.log(2), size, round=3)
        for key in [key for key in sums if key.endswith("/sum") and not key.startswith("aer/")]:
            name, stat, _ = key.split("/")
            whole = sums[f"{name}/{stat}/count"]
            if whole:
                in_nats = stat == "loss" and OBJECTIVES[name].traits.in_nats
                value = sums[key] / whole / (math.log(2) if in_nats else 1)
                metrics.log_scalar(f"{name}_{stat}", value, whole, round=3)
        AerCounter.log(sums)

    @staticmethod
    def logging_outputs_can_be_summed() -> bool:
        return True


def _names(given: str) -> tuple[str, ...]:
    names = listed(given)
    unknown = [name for name in names if name not in OBJECTIVES]
    if unknown or not names or len(set(names)) < len(names):
        problem = "an objective is unknown or named twice" if names else "no objective chosen"
        found, expected = ", ".join(unknown or names), f"some of: {', '.join(sorted(OBJECTIVES))}"
        raise XalignError(problem, parameter="objectives", found=found, expected=expected)
    return names


# Criterion -> its default objectives and its defaults of other options: the presets, and each objective alone.
CRITERIONS: dict[str, Preset] = {}


def add(name: str, preset: Preset) -> None:
    """Register ``--criterion name`` with the default objectives and option values of a preset."""
    CRITERIONS[name] = preset
    class_name = "".join(part.capitalize() for part in name.split("_")) + "Criterion"
    made = type(class_name, (WeightedCriterion,), {"__module__": __name__})
    register_criterion(name, dataclass=_options(name))(made)


def add_objective(name: str) -> None:
    """Create a new objective's criterion, and add its options to all existing criterions."""
    for criterion in CRITERIONS:
        options = _options(criterion)
        CRITERION_DATACLASS_REGISTRY[criterion] = options
        setattr(CRITERION_REGISTRY[criterion], "__dataclass", options)
        node = options()
        node._name = criterion
        ConfigStore.instance().store(name=criterion, group="criterion", node=node, provider="fairseq")
    if name not in CRITERIONS:
        add(name, Preset((name,)))


def listen() -> None:
    """Create a criterion for each registered objective, and for objectives registered later."""
    for name in OBJECTIVES:
        add(name, Preset((name,)))
    LISTENERS.append(add_objective)


def _options(criterion: str) -> type[FairseqDataclass]:
    """The weighted criterion's own options and, prefixed by its name, every option of every objective."""
    preset = CRITERIONS[criterion]
    defaults: dict[str, Any] = {"objectives": ",".join(preset.objectives), **preset.defaults}
    own = WeightedConfig.__dataclass_fields__
    fields: list[Any] = [
        (name, own[name].type, option(value, own[name].metadata["help"]))
        for name, value in defaults.items()
        if name in own
    ]
    for name, objective in OBJECTIVES.items():
        for each in options_of(objective):
            full = f"{name}_{each.name}"
            metadata = {**each.metadata, "help": f"{name}: {each.metadata.get('help', '')}"}
            default = defaults.get(full, each.default)
            # The annotations of a module may be text. fairseq's parser knows Optional[int], but not int | None.
            kind = get_type_hints(objective)[each.name] if isinstance(each.type, str) else each.type
            kind = Union[get_args(kind)] if isinstance(kind, UnionType) else kind
            fields.append((full, kind, field(default=default, metadata=metadata)))
    made = make_dataclass(f"{criterion}_options", fields, bases=(WeightedConfig,))
    made.__module__ = __name__
    return made
