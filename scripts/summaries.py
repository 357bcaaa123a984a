"""Short tables of docs/performance.md, each from the results files of several machines."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import markers
import training_report

# Folders below scripts/results; of a setting that two of them have, the last one counts: it has more rounds.
MACHINES = {"": "AMD Zen 5", "zen4": "AMD Zen 4", "zen4-more": "AMD Zen 4", "zen4-small": "AMD Zen 4", "intel": "Intel"}
OURS, XLM_ALIGN, TRANSFORMERS = "xalign, MLM + TLM", "xalign, XLM-Align", "transformers"
SIZES = ("n = 32", "n = 64", "n = 128", "4 to 128")
GPU = "H100"


def training_speed(root: Path) -> str | None:
    """Tokens a second as multiples of fairseq's, a row for each setting; None where a results file is missing."""
    results = root / "scripts/results"
    paths = [(name, results / folder / "training-cpu.json") for folder, name in MACHINES.items()]
    paths.append((GPU, results / "training-cuda.json"))
    if not all(path.is_file() for _, path in paths):
        return None
    found: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    for machine, path in paths:
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
            if "tokens_per_second" in row:
                found.setdefault((machine, training_report.setting(row)), {})[row["contestant"]] = row
    rows = [
        (
            *which,
            f"{programs['fairseq']['tokens_per_second'][0]:,.0f}",
            *(_spread(programs.get(name), "times_fairseq") for name in (OURS, TRANSFORMERS)),
            _spread(programs.get(XLM_ALIGN), "times_masked"),
        )
        for which, programs in found.items()
    ]
    columns = (
        "machine",
        "setting",
        "fairseq, tokens a second",
        "xalign, times fairseq",
        "transformers, times fairseq",
        "XLM-Align's step, times MLM + TLM",
    )
    return markers.table(columns, rows)


def self_labelling(root: Path) -> str | None:
    """Time of self-labelling in float32 on one CPU thread, as a multiple of the products' alone."""
    machines = {MACHINES[folder]: root / "scripts/results" / folder / "sinkhorn-cpu.json" for folder in ("", "intel")}
    if not all(path.is_file() for path in machines.values()):
        return None
    rows = []
    for machine, path in machines.items():
        found: dict[tuple[str, str], dict[str, str]] = {}
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
            if (row["dtype"], row["threads"], row["iterations"]) == ("float32", 1, 2) and row["gives"] != "products":
                found.setdefault((row["program"], row["gives"]), {})[row["size"]] = f"{row['times_bmm']:.2f}"
        rows += [(machine, *which, *(cells.get(size, "–") for size in SIZES)) for which, cells in found.items()]
    return markers.table(("CPU", "program", "computes", *SIZES), rows)


def _spread(row: Mapping[str, Any] | None, name: str) -> str:
    """Middle, and lowest to highest, of the rounds."""
    if row is None or name not in row:
        return "–"
    middle, low, high = row[name]
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"
