"""Score a finished run on the benchmark's test sets, once, with the links that development gold chose.

usage: python score_test.py GOLD RUN

What chooses is the last line of RUN/dev.jsonl: the link setting with the lowest mean. Writes RUN/test.json, and leaves
one that is there as it is.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import study
from train import whole_model

from xalign_fairseq.aligner.aligner import Aligner
from xalign_fairseq.aligner.sweep import try_settings
from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import read_json, write_json


def main(gold: Path, run: Path) -> None:
    """Choose by development gold, score, write."""
    if (run / "test.json").is_file():
        print(f"{run.name}: scored already")
        return
    if not (run / "result.json").is_file():
        raise XalignError("the run is not finished", where=run, next="train.py goes on with it")
    last = read_json(run / "result.json")["development"][-1]
    with tempfile.TemporaryDirectory() as folder:
        write_json(run / "test.json", scored(whole_model(run, Path(folder, "whole.pt")), gold, last["aer"]))


def scored(model: str, gold: Path, development: dict[str, dict[str, float]]) -> dict[str, Any]:
    """The chosen link setting, its AER on development gold, and the test sets' with their mean, in per cent."""
    chosen = min(development, key=lambda name: development[name]["mean"])
    setting = next(each for each in study.line_settings() if study.setting_name(each) == chosen)
    aligner = Aligner.from_pretrained(
        model, layer=setting.layers, method=setting.method, encoding=setting.encoding, similarity="hidden"
    )
    sets = study.gold_pairs(gold, study.TEST)
    [trial] = try_settings(aligner, sets, [setting])
    by_set = study.scores(trial, study.TEST, dict.fromkeys(study.TEST, 1.0))
    return {"chosen": chosen, "development": development[chosen]["mean"], "signature": aligner.signature(setting),
            "test": by_set}  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
