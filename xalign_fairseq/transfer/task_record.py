"""A fine-tuned checkpoint's record of its task, sufficient to rebuild family and head."""

from dataclasses import asdict, dataclass, field
from typing import Any

from torch import Tensor, nn

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transfer import families  # noqa: F401  (importing registers)
from xalign_fairseq.transfer.benchmarks import BENCHMARKS
from xalign_fairseq.transfer.family import TASK_FAMILIES, Limits, TaskFamily
from xalign_fairseq.transfer.heads.features import Features


class TransferHead(nn.Module):
    """The parameters of a task: ``features`` of the encoder's layers, and the family's ``output``."""

    def __init__(self, features: Features, output: nn.Module):
        super().__init__()
        self.features = features
        self.output = output


@dataclass(frozen=True)
class TaskRecord:
    """A transfer task with its options; ``labels`` are the output classes in order, from the training examples."""

    benchmark: str
    labels: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    options: dict[str, Any] = field(default_factory=dict)
    features: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_checkpoint(cls, state: dict[str, Any], where: object = "checkpoint") -> "TaskRecord":
        """Read the task from the result of :func:`xalign_fairseq.encoder.checkpoint.read`."""
        stored = (state.get("task_state") or {}).get("transfer")
        if stored is None:
            raise XalignError(
                "the checkpoint was not fine-tuned on a transfer task",
                where=where,
                expected=f"a checkpoint of one of the tasks {', '.join(f'xalign_{name}' for name in TASK_FAMILIES)}",
                remedy=("run", Command("transfer", Parameter("model", f"NAME={where}"))),
            )
        limits = Limits(**stored["limits"])
        return cls(stored["benchmark"], tuple(stored["labels"]), limits, stored["options"], stored["features"])

    def to_state(self) -> dict[str, Any]:
        """Plain data for ``task_state["transfer"]``."""
        return {**asdict(self), "labels": list(self.labels)}

    @property
    def head_name(self) -> str:
        """The name of the head in the model, one per benchmark, so that a checkpoint can hold several."""
        return f"transfer_{self.benchmark}"

    def build_family(self, tokenizer: Tokenizer) -> TaskFamily:
        """The family, with this task's labels and options."""
        return TASK_FAMILIES[BENCHMARKS[self.benchmark].family](tokenizer, self.labels, self.limits, self.options)

    def build_head(self, family: TaskFamily, config: EncoderConfig) -> TransferHead:
        return TransferHead(Features(config, self.features, family.first_alone), family.build_head(config))

    def load_head(self, head: TransferHead, tensors: dict[str, Tensor], where: object = "checkpoint") -> None:
        prefix = f"heads.{self.head_name}."
        mine = {key.removeprefix(prefix): value for key, value in tensors.items() if key.startswith(prefix)}
        report = head.load_state_dict(mine, strict=False)
        if report.missing_keys or report.unexpected_keys:
            raise XalignError(
                "the checkpoint's head does not match its task",
                where=where,
                found=f"missing {report.missing_keys[:3]}, unexpected {report.unexpected_keys[:3]}",
            )
