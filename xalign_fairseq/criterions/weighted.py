"""The weighted sum of objectives, computed in one call of the model per update."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Optional

import torch
from fairseq import metrics
from fairseq.criterions import FairseqCriterion
from fairseq.dataclass import FairseqDataclass
from torch import Tensor

from xalign_fairseq.criterions.logged import logged_sums
from xalign_fairseq.criterions.update import UpdateCounts
from xalign_fairseq.criterions.validation import AerCounter
from xalign_fairseq.data.batches import Batch
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.errors import XalignError
from xalign_fairseq.objectives.registry import OBJECTIVES, Loss, Objective, choice, labeller_among
from xalign_fairseq.transport.label_options import LabelOptions
from xalign_fairseq.transport.sinkhorn import backend


@dataclass
class WeightedConfig(FairseqDataclass):
    """Options of every criterion of this package, besides those of its objectives."""

    objectives: str = field(default="", metadata={"help": "objectives in the sum, separated by commas"})
    loss_normalization: str = field(
        default="joint",
        metadata={
            "help": "joint: all losses over the number of all predictions (released code); "
            "per-objective: each loss over its own, in all micro-batches and workers of an update (the paper's sum of "
            "losses)"
        },
    )
    aer_layer: Optional[int] = field(
        default=None, metadata={"help": "layer whose links are scored in validation (default: the labelling layer)"}
    )
    aer_filter: Optional[str] = field(
        default=None,
        metadata={"help": "filter of the links that are scored in validation (default: as the model labels itself)"},
    )
    aer_similarity: Optional[str] = field(
        default=None,
        metadata={
            "help": "what they are read from: hidden (h_i . h_j) or pointer (the scores of dwa's pointer, at its "
            "layer) (default: as the model labels itself)"
        },
    )
    sinkhorn_backend: str = field(
        default="auto",
        metadata={
            "help": "what computes transport: auto (the compiled operator of the device if it can be had, else the "
            "reference in torch; the log says which and why), reference, cpu or cuda"
        },
    )


class WeightedCriterion(FairseqCriterion):
    """L = sum_k w_k L_k over the chosen objectives.

    With ``joint`` normalisation the gradient is divided by the number of all predictions, as XLM-Align's released code
    does. With ``per-objective`` each loss is a mean over its own predictions in all micro-batches and workers of an
    update, see :class:`UpdateCounts`; in validation, over those in the batch. ``active`` are the objectives whose
    weight is not zero.
    """

    def __init__(self, cfg: Any, task: Any):
        super().__init__(task)
        self.cfg = cfg
        backend.select(cfg.sinkhorn_backend)  # what can't be had is an error before training starts
        self.joint = choice(cfg.loss_normalization, ("joint", "per-objective"), "--loss-normalization") == "joint"
        self.objectives = [self._build(name) for name in _names(cfg.objectives)]
        self.active = [objective for objective in self.objectives if objective.cfg.weight != 0]
        if not self.active:
            raise XalignError(
                "no objective is left: every weight is 0",
                where=", ".join(f"--{o.name}-weight" for o in self.objectives),
            )
        self.update = UpdateCounts(self.active)
        self.language_rows: Tensor | None = None
        self.aer = AerCounter(cfg.aer_layer, cfg.aer_filter, cfg.aer_similarity)

    @classmethod
    def build_criterion(cls, cfg: Any, task: Any) -> "WeightedCriterion":
        """fairseq's constructor."""
        return cls(cfg, task)

    def _build(self, name: str) -> Objective:
        cls = OBJECTIVES[name]
        options = cls.config_class()
        for option in fields(options):
            if not option.name.startswith("_"):
                setattr(options, option.name, getattr(self.cfg, f"{name}_{option.name}"))
        objective = cls(options)
        objective.languages, objective.pivot = self.task.languages, self.task.pivot
        objective.seed = self.task.seed
        if "lexicon" in objective.needs and objective.cfg.weight != 0:
            objective.lexicons = self.task.lexicons
        return objective

    @property
    def needs(self) -> set[str]:
        """Streams that the objectives read."""
        return {stream for objective in self.active for stream in objective.needs}

    @property
    def contrasts(self) -> bool:
        """Whether an objective has other pairs of a batch for negatives."""
        return any(objective.contrasts for objective in self.active)

    @property
    def predicts_tokens(self) -> bool:
        """Whether an objective uses the masked-language-model head."""
        return any(objective.predicts_tokens for objective in self.active)

    @property
    def summed(self) -> list[Objective]:
        """Objectives whose losses are added up: in validation without regularisers, unless there is nothing else.

        A regulariser grows from zero on, so that with it the first checkpoints would be the best.
        """
        measured = [objective for objective in self.active if not objective.regularises]
        return measured if measured and not self.training else self.active

    @property
    def links_of_every_pair(self) -> bool:
        """Whether an objective cannot do with a pair that has no links."""
        return any(objective.links_of_every_pair for objective in self.active)

    @property
    def labelling(self) -> LabelOptions | None:
        """How the model labels word links itself, once the heads are attached; None where no objective makes it."""
        labeller = labeller_among(self.active)
        return None if labeller is None else labeller.labelling

    def attach_heads(self, model: Any) -> None:
        """Check the options against the encoder and give the model the objectives' heads."""
        config = model.encoder.config
        self._require_trainable(model)
        if config.languages:
            self.language_rows = torch.tensor([config.language_row(name) for name in self.task.all_languages])
        for objective in self.active:
            objective.prepare(config)
            head = objective.build_head(config)
            if head is not None:
                model.attach_head(objective.name, head)
        self.aer.prepare(config, self.active)
        if not self.predicts_tokens:
            model.freeze_lm_head()

    def _require_trainable(self, model: Any) -> None:
        """Freeze the encoder for the objectives that want it so; refuse those that cannot train then."""
        freezing = [objective.name for objective in self.active if objective.freezes_encoder]
        training = [objective.name for objective in self.active if not objective.freezes_encoder]
        if freezing and training:
            raise XalignError(
                "an objective trains the encoder that another one freezes",
                where="--objectives",
                found=f"{', '.join(training)} beside {', '.join(freezing)}",
                next=f"train {', '.join(freezing)} in a run of its own, from the checkpoint of the other",
            )
        if freezing:
            model.freeze_encoder()
        editing = [objective.name for objective in self.active if objective.edits_parameters]
        if editing and self.task.has_master_weights:
            raise XalignError(
                f"{', '.join(editing)} changes its parameters between updates, and mixed precision undoes that",
                where="--fp16, --bf16",
                found="an optimiser with a float32 copy of all parameters",
                expected="--memory-efficient-fp16, --memory-efficient-bf16 or float32",
            )

    def forward(self, model: Any, sample: dict[str, Any], reduce: bool = True) -> tuple[Tensor, Any, dict[str, Any]]:
        """fairseq's criterion call: loss to differentiate, sample size, logging output."""
        batch = Batch.from_sample(sample, self._rows_beside(sample))
        losses, aer = model(lambda encoder: self._run(encoder, batch))
        weighted = [(objective.cfg.weight, losses[objective.name]) for objective in self.summed]
        if self.joint:
            total = torch.stack([weight * loss.total for weight, loss in weighted]).sum()
            count: Any = torch.stack([loss.count for _, loss in weighted]).sum()
        else:
            counts = torch.stack([loss.count for _, loss in weighted])
            average = self.update.average(counts) if self.training else counts.clamp(min=1)
            totals = torch.stack([weight * loss.total for weight, loss in weighted])
            total, count = (totals / average.to(totals)).sum(), 1
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

    def _rows_beside(self, sample: dict[str, Any]) -> Tensor | None:
        """Rows of the language embeddings by the numbers of languages, on the device of the batch."""
        if self.language_rows is not None:
            stream = sample.get("bitext") or sample["mono"]
            self.language_rows = self.language_rows.to(stream["langs"].device)
        return self.language_rows

    def _run(self, encoder: StepEncoder, batch: Batch) -> tuple[dict[str, Loss], dict[str, Any]]:
        # All say what they read and predict before the first one runs.
        steps = [(objective, objective.step(encoder, batch)) for objective in self.active]
        # A validation batch may lack a stream; workers must log the same keys all the same.
        losses = {
            objective.name: _nothing(objective.stats, batch.device) if step is None else objective.forward(step)
            for objective, step in steps
        }
        if encoder.training:
            losses[self.active[0].name].total = losses[self.active[0].name].total + encoder.idle()
        return losses, self.aer.counts(encoder, batch, self.task)

    @staticmethod
    def reduce_metrics(logging_outputs: list[dict[str, Any]]) -> None:
        """Log every objective's loss per prediction (in bits if it is in nats) and its stats as ratios, and AER.

        The loss of all is divided by log 2 as fairseq's criterions do, whatever is in it.
        """
        sums = logged_sums(logging_outputs)
        size = max(sums["sample_size"], 1)
        metrics.log_scalar("loss", sums["loss"] / size / math.log(2), size, round=3)
        for key in [key for key in sums if key.endswith("/sum") and not key.startswith("aer/")]:
            name, stat, _ = key.split("/")
            whole = sums[f"{name}/{stat}/count"]
            if whole:
                in_nats = stat == "loss" and OBJECTIVES[name].in_nats
                value = sums[key] / whole / (math.log(2) if in_nats else 1)
                metrics.log_scalar(f"{name}_{stat}", value, whole, round=3)
        AerCounter.log(sums)

    @staticmethod
    def logging_outputs_can_be_summed() -> bool:
        """All logged values are sums."""
        return True


def _nothing(stats: Sequence[str], device: torch.device) -> Loss:
    zero = torch.zeros((), device=device)
    return Loss(zero, zero.long(), {name: (zero, zero) for name in stats})


def _names(given: str) -> list[str]:
    names = [name.strip() for name in given.split(",") if name.strip()]
    unknown = [name for name in names if name not in OBJECTIVES]
    if unknown or not names or len(set(names)) < len(names):
        raise XalignError(
            "unknown objective" if unknown else "no objective chosen" if not names else "an objective is named twice",
            where="--objectives",
            found=", ".join(unknown or names) or "nothing",
            expected=f"some of: {', '.join(sorted(OBJECTIVES))}",
        )
    return names
