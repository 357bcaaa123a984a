"""The documents' tables of GPU runs, and measurements next to their budgets."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markers import table

NOT_MEASURED = "not measured"
NOTHING = "Not yet run on a GPU: not measured."
OURS, GRAPH, EAGER = "xalign", "xalign, CUDA graph", "torch, eager"
FEW = 64  # pairs
Rows = Sequence[Mapping[str, Any]]


def runs(found: Sequence[Mapping[str, Any]]) -> str:
    """A table with one row per machine and one column per stage."""
    if not found:
        return NOTHING
    stages = list(dict.fromkeys(name for run in found for name in run["stages"]))
    lines = []
    for run in found:
        versions = f"driver {run['driver']}, torch {run['torch']}, CUDA {run['cuda']}, Python {run['python']}"
        if "apex" in run:
            versions += f", apex {run['apex'] or 'not there'}"
        cells = [_stage(run["stages"][name]) if name in run["stages"] else NOT_MEASURED for name in stages]
        lines.append([run["device"], versions, run["commit"], run["date"], *cells])
    return table(("GPU", "with", "commit", "date", *stages), lines)


def _stage(stage: Mapping[str, Any]) -> str:
    text = stage["status"]
    if "tests" in stage:
        passed, failed, skipped = stage["tests"]
        text += f": {passed} passed, {failed} failed, {skipped} skipped"
    return f"{text} ({stage['commit']})" if "commit" in stage else text


def budgets(folder: Path) -> str:
    """A table of each budget and its measurement in the benchmarks' GPU results."""
    files = {name: _read(folder / f"{name}-cuda.json") for name in ("sinkhorn", "aligner", "training")}
    lines = []
    for name, text, measure, fits in BUDGETS:
        value = measure(files[name])
        met = "" if value is None else "met" if fits(value) else "missed"
        lines.append([text, NOT_MEASURED if value is None else f"{value:.4g}", met])
    return table(("target", "measured", ""), lines)


def _read(path: Path) -> Rows:
    return json.loads(path.read_text(encoding="utf-8"))["rows"] if path.is_file() else []


def _one(rows: Rows, key: str, **wanted: Any) -> Any:
    """The value of a key in the first row that has it and these values; None without such a row."""
    return next(iter(_values(rows, key, **wanted)), None)


def _ratio(above: float | None, below: float | None) -> float | None:
    return None if above is None or below is None else above / below


def _times_read(rows: Rows) -> float | None:
    return _one(rows, "times_read", group="large", program=OURS)


def _faster_large(rows: Rows) -> float | None:
    return _ratio(*(_one(rows, "seconds", group="large", program=name) for name in (EAGER, OURS)))


def _faster_few(rows: Rows) -> float | None:
    """The faster of our own calls and their CUDA graph."""
    eager, *ours = (_one(rows, "seconds", group="few", pairs=FEW, program=name) for name in (EAGER, OURS, GRAPH))
    return _ratio(eager, min((seconds for seconds in ours if seconds is not None), default=None))


def _worst_f1(rows: Rows) -> float | None:
    return min(_values(rows, "f1", program=OURS, dtype="bfloat16"), default=None)


def _aligner(rows: Rows) -> float | None:
    """The better dtype, for the first encoder."""
    first = rows[0].get("encoder") if rows else None
    return max(_values(rows, "times_simalign", encoder=first, tool=OURS, method="itermax"), default=None)


def _values(rows: Rows, key: str, **wanted: Any) -> Iterable[float]:
    return (row[key] for row in rows if key in row and all(row.get(name) == value for name, value in wanted.items()))


def _training(rows: Rows) -> float | None:
    """The median over rounds; the file also has the lowest and highest value."""
    found = _one(rows, "times_fairseq", contestant=f"{OURS}, MLM + TLM", arch="base", dtype="bfloat16")
    return None if found is None else found[0]


def at_most(limit: float) -> Callable[[float], bool]:
    return lambda value: value <= limit


def at_least(limit: float) -> Callable[[float], bool]:
    return lambda value: value >= limit


BUDGETS = (
    (
        "sinkhorn",
        "self-labelling of 2048 pairs of 64 x 64 in bfloat16: at most 1.3 times one read of the hidden states",
        _times_read,
        at_most(1.3),
    ),
    ("sinkhorn", "the same: at least 3.5 times faster than torch, eager", _faster_large, at_least(3.5)),
    (
        "sinkhorn",
        "64 pairs of 64 x 64 in bfloat16 (or their CUDA graph): at least 20 times faster than torch, eager",
        _faster_few,
        at_least(20),
    ),
    (
        "sinkhorn",
        "F1 of its links in bfloat16 against the reference in float64: at least 0.995",
        _worst_f1,
        at_least(0.995),
    ),
    ("training", "tokens per second in bfloat16, base: at least 2 times fairseq's encoder", _training, at_least(2)),
    ("aligner", "pairs per second, itermax: at least 10 times SimAlign's", _aligner, at_least(10)),
)
