"""Score self-training on several choices of pairs, on gold links of pairs that were trained on and of others.

usage: python score.py GOLD RUNS      score what is not scored yet, and write the table
       python score.py                write the table anew from results.json

RUNS: of run.sh. Links are read as development gold chose for each run, whose sets are no part of these. Writes
RUNS/CHOICE/so-SEED/other_pairs.json, results.json and the table of README.md.
"""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "continued"))
sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))

import markers
import study
from score_test import scored
from train import START, whole_model

from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.evaluation.statistics import summarise
from xalign_fairseq.evaluation.tables import markdown, percent

HERE = Path(__file__).resolve().parent
# Gold links by columns of the table: the benchmark's test sets; and pairs that no run or some runs have seen
SETS: Mapping[str, tuple[str, ...]] = {
    "de, fr, hi, ro": study.TEST,
    "cs": ("czenali/en-cs",),
    "ja": ("kftt-dev/ja-en",),
    "es": ("golden-collection/en-es",),
    "bg, da, et, hu, it, nl, pt, sl": tuple(
        f"xl-wa/test/en-{language}" for language in ("bg", "da", "et", "hu", "it", "nl", "pt", "sl")
    ),
}
# What each choice is trained on, in the table's order.
CHOICES: Mapping[str, str] = {
    "none": "nothing: e5-small as it comes",
    "cs": "cs",
    "es": "es",
    "ja": "ja",
    "seven": "ar, cs, es, ja, ru, vi, zh",
    "four": "de, fr, hi, ro",
    "eleven": "all eleven",
}
NAMES = tuple(name for names in SETS.values() for name in names)


def collect(gold: Path, runs: Path) -> list[dict[str, Any]]:
    """Every finished run's AER of every set; those that are scored already are read."""
    found = []
    for choice in CHOICES:
        folders = [runs / "none/so-0"] if choice == "none" else sorted((runs / choice).glob("so-[0-9]*"))
        for run in folders:
            path = run / "other_pairs.json"
            if not path.is_file() and (choice == "none" or (run / "result.json").is_file()):
                run.mkdir(parents=True, exist_ok=True)
                write_json(path, {"choice": choice, "run": run.name, **of_run(gold, run, runs)})
                print(path, flush=True)
            if path.is_file():
                found.append(read_json(path))
    return found


def of_run(gold: Path, run: Path, runs: Path) -> dict[str, Any]:
    """One run's scores, in per cent, by the links that development gold prefers."""
    if run.parent.name == "none":  # every run begins with its scores
        begun = read_json(next(runs.glob("*/so-[0-9]*/result.json")))
        development, record = begun["development"][0]["aer"], {"updates": 0}
    else:
        made = read_json(run / "result.json")
        development = made["development"][-1]["aer"]
        record = {key: made[key] for key in ("seed", "options", "commit", "machine") if key in made}
    with tempfile.TemporaryDirectory() as folder:
        model = START if run.parent.name == "none" else whole_model(run, Path(folder, "whole.pt"))
        found = scored(model, "so", gold, development, NAMES)
    return {**record, "chosen": found["chosen"], "aer": {name: found["test"][name] for name in NAMES}}


def table(results: list[dict[str, Any]]) -> str:
    """A row for each choice: mean AER of each column's sets, over seeds; the pairs that it has not seen in italics."""
    rows = []
    for choice, trained in CHOICES.items():
        group = [each["aer"] for each in results if each["choice"] == choice]
        if group:
            seeds = "" if choice == "none" else str(len(group))
            rows.append([trained, seeds, *(cell(choice, column, group) for column in SETS)])
    return markdown(["trained on English with", "seeds", *SETS], rows)


def cell(choice: str, column: str, group: list[dict[str, float]]) -> str:
    """The column's mean over sets of a choice's runs, over seeds."""
    values = [mean(aer[name] for name in SETS[column]) / 100 for aer in group]
    seen = choice == "eleven" or column in CHOICES[choice].split(", ") or column == CHOICES[choice]
    shown = percent(summarise(values), 1)
    return shown if seen and not column.startswith("bg") else f"*{shown}*"


def main(folders: list[Path]) -> None:
    """Score if folders are given, and write the table."""
    if folders:
        write_json(HERE / "results.json", {"runs": collect(*folders)})
    results = read_json(HERE / "results.json")["runs"]
    markers.update([HERE / "README.md"], "study", {"pairs": table(results)}.__getitem__, False, "score.py")


if __name__ == "__main__":
    if len(sys.argv) not in (1, 3):
        sys.exit(__doc__)
    main([Path(each) for each in sys.argv[1:]])
