"""Score finished runs once on the benchmark's test sets, with the link setting selected on development gold.

usage: python score_test.py GOLD RUNS

The last line of dev.jsonl selects the link setting with the lowest mean. Writes RUN/test.json with the counts of each
sentence pair, unless it exists. Skips unfinished runs.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import study
from train import trials, whole_model

from xalign_fairseq.core.json_files import read_json, write_json


def main(gold: Path, runs: Path) -> None:
    """Select on development gold, score, write."""
    for result in sorted(runs.glob("*/result.json")):
        run, record = result.parent, read_json(result)
        if record["setting"] == "head" or (run / "test.json").is_file():
            continue
        with tempfile.TemporaryDirectory() as folder:
            model = whole_model(run, Path(folder, "whole.pt"))
            found = scored(model, record["setting"], gold, record["development"][-1]["aer"], study.TEST)
        write_json(run / "test.json", found)
        print(run.name, found["chosen"], found["test"], flush=True)


def scored(
    model: str, setting: str, gold: Path, development: dict[str, dict[str, float]], names: Sequence[str]
) -> dict[str, Any]:
    """The selected link setting, its AER on development gold, and the named sets' AER with their mean, in percent.

    Also ``counts``: each set's (pairs, 4), as in :class:`~xalign_fairseq.aligner.neural.comparison.Trial`.
    """
    chosen = min(development, key=lambda name: development[name]["mean"])
    links = next(each for each in study.line_settings() if study.setting_name(each) == chosen)
    [trial] = trials(model, setting, study.gold_pairs(gold, names), [links])
    return {
        "chosen": chosen,
        "development": development[chosen]["mean"],
        "test": study.scores(trial, names, dict.fromkeys(names, 1.0)),
        "counts": {name: part.tolist() for name, part in zip(names, trial.parts, strict=True)},
    }


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
