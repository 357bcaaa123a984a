"""Short tables of docs/performance.md, each from the results files of several machines."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import markers
import training_report

# Folders in scripts/results.
MACHINES = {"": "AMD Zen 5", "zen4": "AMD Zen 4", "intel": "Intel"}
OURS = "xalign, MLM + TLM"
SIZES = ("n = 32", "n = 64", "n = 128", "4 to 128")
GPU = "H100"


def training_speed(root: Path) -> str | None:
    """Tokens per second relative to fairseq, one column per machine; None if a results file is missing."""
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
    machines = dict.fromkeys(machine for machine, _ in found)
    settings = dict.fromkeys(name for _, name in found)
    rows = [(each, *(_cell(found.get((machine, each))) for machine in machines)) for each in settings]
    return markers.table(("setting", *machines), rows)


def finetuning(root: Path) -> str | None:
    """Tokens per second of fine-tuning, without AER, because the runs are too short for it."""
    path = root / "scripts/results/finetuning.json"
    if not path.is_file():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    rows = []
    for row in found["rows"]:
        times = row["tokens_per_second"] / found["rows"][0]["tokens_per_second"]
        speed = f"{row['tokens_per_second']:.0f}"
        rows.append((row["objectives"].replace(",", ", "), row["change"], speed, f"{times:.1f}"))
    table = markers.table(("objectives", "change", "tokens per second", "times the first row"), rows)
    how = f"{found['updates']} updates of {found['batch_size']} pairs; {found['machine']}; commit {found['commit']}"
    return f"{table}\n\nEach row has the changes of those above it, too short for AER. {how}; `{found['command']}`"


def self_labelling(root: Path) -> str | None:
    """Time of self-labelling on one CPU thread as a multiple of the products alone: in float32, ours also in
    bfloat16 where the CPU multiplies it fast.
    """
    machines = {name: root / "scripts/results" / folder / "sinkhorn-cpu.json" for folder, name in MACHINES.items()}
    if not all(path.is_file() for path in machines.values()):
        return None
    rows = []
    for machine, path in machines.items():
        found: dict[tuple[str, str], dict[str, str]] = {}
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
            shown = row["dtype"] == "float32" or (row["program"] == "xalign" and "times_bmm" in row)
            if shown and (row["threads"], row["iterations"]) == (1, 2) and row["gives"] != "products":
                name = row["program"] if row["dtype"] == "float32" else f"{row['program']}, {row['dtype']}"
                found.setdefault((name, row["gives"]), {})[row["size"]] = f"{row['times_bmm']:.2f}"
        rows += [(machine, *which, *(cells.get(size, "–") for size in SIZES)) for which, cells in found.items()]
    return markers.table(("CPU", "program", "computes", *SIZES), rows)


def _cell(programs: Mapping[str, Mapping[str, Any]] | None) -> str:
    """The median over rounds."""
    row = (programs or {}).get(OURS, {})
    return f"{row['times_fairseq'][0]:.2f}" if "times_fairseq" in row else "–"
