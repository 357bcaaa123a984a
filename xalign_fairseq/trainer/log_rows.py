"""The numbers in fairseq-train's log, line by line (``--log-format json``)."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

# Lines of an interval of training, of an epoch, and of a validation; other subsets are ignored.
INTERVAL, EPOCH, VALID = "train_inner", "train", "valid"
# In a --log-file, time, level and logger before the text are missing.
_LINE = re.compile(r"^(?:[^|{]*\| )*?(\{.*)$", re.ASCII)


@dataclass(frozen=True)
class LogRow:
    """A line of the log: kind (``train_inner``, ``train`` or ``valid``), updates and finite numbers by name."""

    kind: str
    updates: int
    values: Mapping[str, float] = field(default_factory=dict)

    @property
    def losses(self) -> dict[str, float]:
        """The losses of the objectives, by their names."""
        return {name.removesuffix("_loss"): value for name, value in self.values.items() if name.endswith("_loss")}


def read_row(line: str) -> LogRow | None:
    """The numbers of a line; None if it is of another kind or incomplete."""
    found = _LINE.match(line.rstrip())
    if found is None:
        return None
    try:
        pairs = dict(json.loads(found[1]))
    except (ValueError, RecursionError):  # a line cut off by a kill
        return None
    kind = next((kind for kind in (VALID, EPOCH) if f"{kind}_num_updates" in pairs), INTERVAL)
    numbers = {name.removeprefix(f"{kind}_"): _number(value) for name, value in pairs.items()}
    values = {name: number for name, number in numbers.items() if math.isfinite(number)}
    if "num_updates" not in values:
        return None
    return LogRow(kind, int(values["num_updates"]), values)


def standing(rows: Iterable[LogRow]) -> list[LogRow]:
    """The valid rows of the run, which may have resumed from an earlier update or restarted."""
    kept: list[LogRow] = []
    for row in rows:
        while kept and kept[-1].updates > row.updates:
            kept.pop()
        kept.append(row)
    return kept


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


OPTIMIZER = "optimizer: "  # the beginning of the trainer's line about the optimizer
_OPTIMIZER = re.compile(rf"\| INFO \| xalign_fairseq\.trainer\.trainer \| {OPTIMIZER}(.*?)\s*$")


def read_optimizer(line: str) -> str | None:
    """The optimizer's class, if a line of the log names it."""
    found = _OPTIMIZER.search(line)
    return found[1] if found else None
