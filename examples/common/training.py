"""How a run was trained: the record from recipe.sh and the log of fairseq-train."""

from pathlib import Path
from typing import Any

from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.trainer.log_rows import read_cost


def training_record(folder: Path) -> dict[str, Any]:
    """Setting, command, commit, machine, seed, updates, tokens and minutes of the run in a folder."""
    record = read_json(folder / "run.json")
    cost = read_cost(folder / "train.log")
    record |= {"updates": cost.updates, "tokens": cost.tokens, "minutes": cost.minutes}
    if cost.gpus:
        record["machine"] = f"{len(cost.gpus)} x {cost.gpus[0]}"
    return record
