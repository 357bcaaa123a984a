"""The loss of a transfer task, and in validation the benchmark's metric."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from fairseq import metrics
from fairseq.criterions import FairseqCriterion, register_criterion
from fairseq.dataclass import FairseqDataclass
from torch import Tensor

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.mappings import HEAD, MappedStates, States
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.trainer.host_numbers import logged_sums
from xalign_fairseq.transfer.benchmarks import BENCHMARKS


@register_criterion("transfer", dataclass=FairseqDataclass)
class TransferCriterion(FairseqCriterion):
    """Mean of the task's loss over its predictions; in validation ``score``, the metric that selects the model."""

    def forward(self, model: Any, sample: dict[str, Any], reduce: bool = True) -> tuple[Tensor, Any, dict[str, Any]]:
        total, count, scores = model(lambda encoder: self._run(encoder, sample))
        logs = {
            "loss": total.detach(),
            "sample_size": count,
            "ntokens": sample["ntokens"],
            "nsentences": sample["nsentences"],
            **scores,
        }
        return total, count, logs

    def _run(self, encoder: StepEncoder, sample: dict[str, Any]) -> tuple[Tensor, Tensor, dict[str, float]]:
        spec, family, batch = self.task.spec, self.task.family, sample["batch"]
        head: Any = encoder.heads[spec.head_name]
        given = Input(batch["tokens"], sample["language_rows"], lengths=sample["lengths"])
        states: States = encoder.states(given, labelling=head.features.frozen)
        if HEAD in encoder.heads:  # the task attaches linear maps only to a frozen encoder
            maps: Any = encoder.heads[HEAD]
            states = MappedStates(states, maps, sample["languages"])
        hidden = head.features(states, batch["tokens"])
        total, count = family.loss(head.output, hidden, batch)
        if encoder.training:
            return total, count, {}
        examples = sample["examples"]
        predictions = family.predict(head.output, hidden, batch, examples)
        metric = self.task.metric
        counts = sum(
            metric.counts([family.gold(example)], [prediction], example.language).sum(0)
            for example, prediction in zip(examples, predictions, strict=True)
        )
        name = f"score/{spec.benchmark}/{metric.name}"
        return total, count, {f"{name}/{k}": float(value) for k, value in enumerate(counts)}

    @staticmethod
    def reduce_metrics(logging_outputs: list[dict[str, Any]]) -> None:
        """Log the loss in bits per prediction and the score in percent, from counts summed over batches and workers."""
        sums = logged_sums(logging_outputs)
        size = max(sums["sample_size"], 1)
        metrics.log_scalar("loss", sums["loss"] / size / math.log(2), size, round=3)
        keys = sorted(key for key in sums if key.startswith("score/"))
        for key in keys:  # fairseq averages over batches: the counts are logged, and the score is derived from them
            metrics.log_scalar(f"_{key}", sums[key])
        if keys:
            metrics.log_derived("score", partial(_score, keys))

    @staticmethod
    def logging_outputs_can_be_summed() -> bool:
        return True


def _score(keys: Sequence[str], meters: Mapping[str, Any]) -> float:
    _, benchmark, name, _ = keys[0].split("/")
    [metric] = BENCHMARKS[benchmark].score([name])
    return round(100 * float(metric.value(np.array([meters[f"_{key}"].sum for key in keys]))), 3)
