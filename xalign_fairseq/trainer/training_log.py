"""The cost of a run of fairseq-train, from its log (``--log-file``, or ``train.log``)."""

import re
from dataclasses import dataclass
from pathlib import Path

from xalign_fairseq.trainer.log_rows import EPOCH, read_row

OPTIMIZER = "optimizer: "  # what the trainer's line on it begins with
_NUMBER = r"(\d{1,15}(?:\.\d{1,15})?)"
_END = re.compile(rf"done training in {_NUMBER} seconds", re.ASCII)
_OPTIMIZER = re.compile(rf"\| INFO \| xalign_fairseq\.trainer\.trainer \| {OPTIMIZER}(.*?)\s*$")
_GPU = re.compile(r"rank +(\d+): .*name = (.*?) *$", re.MULTILINE)


@dataclass(frozen=True)
class TrainingCost:
    """The cost of a whole run, with all resumptions.

    Attributes:
        updates: of the optimiser.
        tokens: in the batches of all updates.
        minutes: of the processes that finished.
        gpus: the names of all GPUs that took part, by rank; none on a CPU.
    """

    updates: int
    tokens: int
    minutes: float
    gpus: tuple[str, ...] = ()


def read_cost(log: Path) -> TrainingCost:
    """Read a run's log.

    Raises:
        OSError: there is no such file.

    Example::

        read_cost(Path("runs/tlm-1/train.log")).tokens  # 1551234
    """
    text = log.read_text(encoding="utf-8", errors="replace")
    tokens, updates = 0.0, 0
    for row in map(read_row, text.splitlines()):
        # The line of each epoch has the mean of all its updates; those of intervals are not used.
        if row is not None and row.kind == EPOCH:
            # A run that is resumed at the end of an epoch logs it again.
            tokens += max(0, row.updates - updates) * row.values.get("wpb", 0)
            updates = max(updates, row.updates)
    seconds = sum(float(found[1]) for found in _END.finditer(text))
    # A run that is resumed lists its GPUs again.
    gpus = dict(_GPU.findall(text))
    return TrainingCost(updates, round(tokens), round(seconds / 60, 1), tuple(gpus.values()))


def read_optimizer(line: str) -> str | None:
    """The class and kernel of the optimizer, if a line of the log names them."""
    found = _OPTIMIZER.search(line)
    return found[1] if found else None
