"""The numbers in fairseq-train's log, line by line (``--log-format json`` or ``simple``)."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

# Lines of an interval of training, of an epoch, and of a validation; other subsets are ignored.
INTERVAL, EPOCH, VALID = "train_inner", "train", "valid"
# A --log-file has the lines without time, level and logger.
_LINE = re.compile(r"^(?:(?P<time>\d\S+ \d\S+) \| )?(?:[^|{]*\| )*?(?P<text>(?:\{|epoch +\d).*)$", re.ASCII)
_SIMPLE_INTERVAL = re.compile(r"epoch +\d+: +\d+ / \d+ (?P<pairs>.*)$", re.ASCII)
_SIMPLE_VALID = re.compile(r"epoch +\d+ \| valid on '(?P<subset>[^']*)' subset \| ", re.ASCII)


@dataclass(frozen=True)
class LogRow:
    """The content of a line of the log.

    Attributes:
        kind: ``train_inner``, ``train`` or ``valid``, as fairseq's log says.
        updates: done when it was written.
        values: the numbers by name, without the prefix of the kind; what is not a finite number is left out.
        time: of the line, as the log has it; empty if it has none.
    """

    kind: str
    updates: int
    values: Mapping[str, float] = field(default_factory=dict)
    time: str = ""

    @property
    def losses(self) -> dict[str, float]:
        """The losses of the objectives, by their names."""
        return {name.removesuffix("_loss"): value for name, value in self.values.items() if name.endswith("_loss")}


def read_row(line: str) -> LogRow | None:
    """The numbers of a line; None if it is of another kind or incomplete.

    Example::

        read_row('{"valid_aer": "0.25", "valid_num_updates": "100"}').values["aer"]  # 0.25
    """
    found = _LINE.match(line.rstrip())
    if found is None:
        return None
    kind, pairs = (_json if found["text"].startswith("{") else _simple)(found["text"])
    numbers = {name.removeprefix(f"{kind}_"): _number(value) for name, value in pairs.items()}
    values = {name: number for name, number in numbers.items() if math.isfinite(number)}
    if "num_updates" not in values:
        return None
    return LogRow(kind, int(values["num_updates"]), values, found["time"] or "")


def standing(rows: Iterable[LogRow]) -> list[LogRow]:
    """The rows of the run in its present state; it may have resumed from an earlier update, or started again.

    Example::

        standing([LogRow("valid", 100), LogRow("valid", 200), LogRow("train_inner", 150)])  # without the second
    """
    kept: list[LogRow] = []
    for row in rows:
        while kept and kept[-1].updates > row.updates:
            kept.pop()
        kept.append(row)
    return kept


def _json(text: str) -> tuple[str, Mapping[str, object]]:
    try:
        pairs = dict(json.loads(text))
    except (ValueError, RecursionError):  # a line that was written while the process was killed
        return "", {}
    return next((kind for kind in (VALID, EPOCH) if f"{kind}_num_updates" in pairs), INTERVAL), pairs


def _simple(text: str) -> tuple[str, Mapping[str, object]]:
    """``epoch 001:  10 / 125 loss=9.3, lr=0.1`` of an interval, ``epoch 001 | loss 9.3 | lr 0.1`` of the others."""
    if interval := _SIMPLE_INTERVAL.match(text):
        return INTERVAL, dict(part.split("=", 1) for part in interval["pairs"].split(", ") if "=" in part)
    valid = _SIMPLE_VALID.match(text)
    if valid and valid["subset"] != VALID:
        return "", {}
    kind = VALID if valid else EPOCH
    return kind, dict(part.rsplit(" ", 1) for part in text.split(" | ")[1:] if " " in part)


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan
