"""The weighted sum of objectives, which fairseq's criterions and plain training loops share."""

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError, check_values
from xalign_fairseq.data.batches import Batch
from xalign_fairseq.data.pretraining import PretrainingData, Reader
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.objectives.gathering import all_sum
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, choice
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.training.headed import HeadedEncoder
from xalign_fairseq.transport.linking import Linking


class UpdateCounts:
    """The counts N_k of an update, the divisors of ``per-objective`` normalisation.

    fairseq runs the backward pass after every micro-batch and divides the gradient once, by the sum S of sample sizes.
    To get sum_k w_k (sum of L_k over all micro-batches and workers) / N_k, each micro-batch has sample size 1 (0 for a
    missing one), and its losses are divided by N_k / S, the count of an average micro-batch. N_k must be known before
    the first micro-batch runs:

    - objectives that count ahead count all micro-batches when the update begins, summed over workers;
    - other objectives, whose count depends on the model, are counted per micro-batch, summed over workers, and an
      update has the mean over its micro-batches with equal weights.

    Without :meth:`begin` the batch is the whole update.

    Attributes:
        ignored: the micro-batch replaces a missing one of this worker at the end of an epoch.
    """

    def __init__(self, objectives: Sequence[Objective]):
        self.objectives = objectives
        self.ignored = False
        self._micro_batches = 0
        self._sums: Tensor | None = None

    def begin(self, samples: Sequence[Mapping[str, Any] | None], device: torch.device) -> None:
        """Count ahead in this worker's micro-batches, on the host; a missing micro-batch is empty."""
        batches = [Batch.from_sample(dict(sample)) for sample in samples if sample]
        ahead = [sum(_count(objective, batch) for batch in batches) for objective in self.objectives]
        self._micro_batches = len(samples)
        self._sums = all_sum(torch.tensor([len(batches), *ahead]).to(device, non_blocking=True))

    @property
    def size(self) -> Tensor:
        """S, the number of micro-batches of all workers in the current update."""
        assert self._sums is not None
        return self._sums[0]

    @property
    def predictions(self) -> Tensor:
        """(K,) predictions in all micro-batches of all workers, for objectives that count ahead."""
        assert self._sums is not None
        return self._sums[1:]

    def average(self, counts: Tensor) -> Tensor:
        """N_k / S (K,), or 1 for no predictions, from the counts (K,) of the current micro-batch."""
        if self._sums is None:
            return counts.clamp(min=1)
        size, whole = self._sums[0], self._sums[1:]
        if not all(objective.traits.counts_ahead for objective in self.objectives):
            now = self._micro_batches * all_sum(torch.zeros_like(counts) if self.ignored else counts)
            both = zip(self.objectives, whole, now, strict=True)
            whole = torch.stack([known if objective.traits.counts_ahead else run for objective, known, run in both])
        return torch.where(whole > 0, whole.double() / size, 1.0)


def _count(objective: Objective, batch: Batch) -> int:
    needed = batch.only(objective.traits.needs) if objective.traits.counts_ahead else None
    return 0 if needed is None else objective.count(needed)


NORMALIZATIONS = ("joint", "per-objective")


class WeightedSum:
    """L = sum_k w_k L_k over the objectives.

    With ``joint`` normalisation the gradient is divided by the number of all predictions, as XLM-Align's released code
    does. With ``per-objective`` each loss is a mean over its predictions in all micro-batches and workers of an update,
    see :class:`UpdateCounts`; in validation, over the batch.

    Args:
        objectives: with their weights; objectives of weight zero do not run.
        loss_normalization: ``joint`` or ``per-objective``.
        source: the training data; None: for objectives that do not need them.

    Attributes:
        active: the objectives with nonzero weight.
        update: the counts of predictions of an update.
        language_rows: rows of the language embeddings by language number; None for an encoder without any.

    Raises:
        XalignError: all weights are zero, a weight is negative or NaN, or an objective is given twice or as a class.
    """

    def __init__(self, objectives: Iterable[Objective], loss_normalization: str, source: PretrainingData | None):
        self.joint = choice(loss_normalization, NORMALIZATIONS, "loss_normalization") == "joint"
        self.objectives = [copy(objective) for objective in objectives]  # each sum binds its own copy
        instances = all(isinstance(objective, Objective) for objective in self.objectives)
        check_values("this is not an objective", ("objectives", self.objectives, instances, "instances, as [MLM()]"))
        names = [objective.name for objective in self.objectives]
        once = len(set(names)) == len(names)
        check_values("an objective is given twice", ("objectives", ", ".join(names), once, "one of each name"))
        self.active = [objective for objective in self.objectives if objective.weight != 0]
        if not self.active:
            raise XalignError("every objective has weight 0", parameter=[f"{name}_weight" for name in names])
        check_values(
            "the weight of an objective is out of range",
            *((f"{o.name}_weight", o.weight, 0 <= o.weight < math.inf, "0 or more") for o in self.objectives),
        )
        self.source = source
        self.update = UpdateCounts(self.active)
        self.language_rows: Tensor | None = None

    @property
    def needs(self) -> set[str]:
        """Streams that the objectives read."""
        return {stream for objective in self.active for stream in objective.traits.needs}

    @property
    def predicts_tokens(self) -> bool:
        """Whether an objective uses the masked-language-model head."""
        return any(objective.traits.predicts_tokens for objective in self.active)

    @property
    def with_all_embeddings(self) -> list[str]:
        """The objectives whose gradient has all rows of the token embeddings in every batch."""
        described = [(each.name, each.traits) for each in self.active]
        return [name for name, of in described if of.predicts_tokens or of.reads_output_layer or of.of_parameters]

    def reader(self, models: Sequence[HeadedEncoder]) -> Reader:
        """The data that the objectives and their models read."""
        return Reader(
            needs=self.needs,
            positions=min((model.max_positions() for model in models), default=512),
            embeds_languages=any(model.encoder.config.languages for model in models),
            apart=any(objective.traits.contrasts for objective in self.active),
            links_of_every_pair=any(objective.traits.links_of_every_pair for objective in self.active),
        )

    @property
    def labelling(self) -> Linking | None:
        """How the model labels word links, once the heads are attached; None if no objective labels."""
        return next((how for each in self.active if (how := each.labelling) is not None), None)

    def summed(self, training: bool) -> list[Objective]:
        """The objectives in the sum; in validation without regularisers, unless there are only regularisers.

        A regulariser grows from zero, so with it the first checkpoints would be the best.
        """
        measured = [objective for objective in self.active if not objective.traits.regularises]
        return measured if measured and not training else self.active

    def attach_heads(self, model: HeadedEncoder) -> None:
        """Check the options against the encoder, attach the objectives' heads, and freeze parameters that none
        trains."""
        config = model.encoder.config
        self._freeze(model)
        if config.languages:
            names = self.source.all_languages if self.source else ()
            self.language_rows = torch.tensor([config.language_row(name) for name in names])
        context, source = RunContext(config), self.source
        if source is not None:
            lexicons = source.lexicons if "lexicon" in self.needs else ()
            context = RunContext(config, source.languages, source.pivot, lexicons, source.mask, source.seed)
        for objective in self.active:
            objective.bind(context)
            head = objective.build_head()
            if head is not None:
                model.attach_head(objective.name, head)
        if not self.predicts_tokens:
            model.freeze_lm_head()

    def _freeze(self, model: HeadedEncoder) -> None:
        """Freeze the encoder if objectives need it frozen; refuse objectives that cannot train then."""
        freezing = [objective.name for objective in self.active if objective.traits.freezes_encoder]
        training = [objective.name for objective in self.active if not objective.traits.freezes_encoder]
        if freezing and training:
            raise XalignError(
                "an objective trains the encoder that another one freezes",
                parameter="objectives",
                found=f"{', '.join(training)} with {', '.join(freezing)}",
                remedy=f"train {', '.join(freezing)} in a separate run, from the other's checkpoint",
            )
        if freezing:
            model.encoder.requires_grad_(False)
        of_embeddings = [objective.name for objective in self.active if objective.traits.of_parameters == "embeddings"]
        if of_embeddings and not model.encoder.sentence_encoder.embed_tokens.weight.requires_grad:
            raise XalignError(
                "an objective only trains token embeddings, and they are frozen",
                parameter="freeze_layers",
                found=", ".join(of_embeddings),
                remedy=("leave out", Parameter("freeze_layers"), f"or {of_embeddings[0]}"),
            )

    def batch(self, sample: dict[str, Any]) -> Batch:
        """The typed view of a batch from :func:`~xalign_fairseq.data.batches.collate`, on any device."""
        if self.language_rows is not None:
            stream = sample.get("bitext") or sample["mono"]
            self.language_rows = self.language_rows.to(stream["langs"].device)
        return Batch.from_sample(sample, self.language_rows, stands_in=self.update.ignored)

    def losses(self, encoder: StepEncoder, batch: Batch) -> dict[str, Loss]:
        """The loss of each objective by its name, without objectives whose stream the batch lacks."""
        # All declare their inputs and predictions before the first one runs.
        steps = [(objective, objective.step(encoder, batch)) for objective in self.active]
        # A validation batch may lack a stream, but all workers must log the same keys.
        losses = {
            objective.name: _nothing(objective.traits.stats, batch.device) if step is None else _loss(objective, step)
            for objective, step in steps
        }
        if encoder.training:
            left = [objective for objective, step in steps if step is None]
            idle = encoder.idle([each.name for each in left], lm_head=any(each.traits.predicts_tokens for each in left))
            losses[self.active[0].name].total = losses[self.active[0].name].total + idle
        return losses

    def total(self, losses: Mapping[str, Loss], training: bool) -> tuple[Tensor, Any]:
        """The weighted sum with gradient, and its divisor, which an update sums over batches and workers."""
        weighted = [(objective.weight, losses[objective.name]) for objective in self.summed(training)]
        counts = torch.stack([loss.count for _, loss in weighted])
        totals = torch.stack([weight * loss.total for weight, loss in weighted])
        if self.joint:
            return totals.sum(), counts.sum()
        average = self.update.average(counts) if training else counts.clamp(min=1)
        return (totals / average.to(totals)).sum(), 1


def _loss(objective: Objective, step: Step) -> Loss:
    loss = objective.forward(step)
    if not isinstance(loss, Loss):
        found, expected = f"a {type(loss).__name__}", "Loss(total, count)"
        raise XalignError(
            "forward of an objective does not return its loss", where=objective.name, found=found, expected=expected
        )
    return loss


def _nothing(stats: Sequence[str], device: torch.device) -> Loss:
    zero = torch.zeros((), device=device)
    return Loss(zero, zero.long(), dict.fromkeys(stats, (zero, zero)))
