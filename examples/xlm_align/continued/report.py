"""Collect runs into results/, finished or not, and write README.md's table of all of them.

usage: python report.py RUNS
"""

import json
import sys
from pathlib import Path
from typing import Any

import study

from xalign_fairseq.files import atomic_write, read_json, write_json

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- runs -->\n", "<!-- end -->\n"
USUAL = "argmax-separate-7"


def collect(runs: Path, results: Path) -> None:
    """Write results/NAME.json of every run that has been scored at least once."""
    results.mkdir(exist_ok=True)
    for folder in sorted(runs.iterdir()):
        curve, made = folder / "dev.jsonl", folder / "run.json"
        if curve.is_file() and made.is_file():
            test = read_json(folder / "test.json") if (folder / "test.json").is_file() else None
            rows = [json.loads(line) for line in curve.read_text(encoding="utf-8").splitlines()]
            record = read_json(made)
            record |= {"command": command(record), "development": rows, "test": test}
            write_json(results / f"{folder.name}.json", record)


def command(record: dict[str, Any]) -> str:
    """What makes the run again, without the folders of the machine that made it."""
    usual = {**study.COMMON, **study.SETTINGS[record["setting"]], "--seed": str(record["seed"])}
    changed = [f"{key} {value}" for key, value in record["options"].items() if usual.get(key) != value]
    line = f"train.py DATA_BIN GOLD RUNS {record['setting']} {record['seed']}"
    return " ".join([line, *(["--", *changed] if changed else [])])


def row(name: str, record: dict[str, Any]) -> list[str]:
    """A run's cells: its curve by what is usual for e5-small, and the best that any links had at its last scoring."""
    curve, last = record["development"], record["development"][-1]
    best = min(last["aer"], key=lambda each: last["aer"][each]["mean"])
    of = record["options"]["--max-update"]
    return [
        name,
        f"{last['updates']} of {of}",
        f"{last['tokens'] / 1e6:.2f}M",
        f"{last['cpu_seconds'] / 60:.0f}",
        ", ".join(f"{each['updates']}: {each['aer'][USUAL]['mean']:.2f}" for each in curve),
        f"{last['aer'][best]['mean']:.2f} ({best})",
        f"{record['test']['test']['mean']:.2f}" if record["test"] else "",
    ]


def table(results: Path) -> str:
    """All runs, the lowest last AER first."""
    columns = ("run", "updates", "tokens", "CPU minutes", f"development AER, {USUAL}", "lowest at the end", "test")
    records = {path.stem: read_json(path) for path in results.glob("*.json")}
    order = sorted(records, key=lambda name: records[name]["development"][-1]["aer"][USUAL]["mean"])
    rows = [columns, ("---",) * len(columns), *(row(name, records[name]) for name in order)]
    return "".join(f"| {' | '.join(each)} |\n" for each in rows)


def main(runs: Path, here: Path = HERE) -> None:
    """Collect, and put the table between the marks."""
    collect(runs, here / "results")
    text = (here / "README.md").read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    with atomic_write(here / "README.md") as out:
        out.write(before + BEGIN + table(here / "results") + END + after)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
