"""How a run was trained: the record from recipe.sh and the log of fairseq-train."""

import re
from pathlib import Path
from typing import Any

from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.trainer.log_rows import EPOCH, read_row

END = re.compile(r"done training in (\d+(?:\.\d+)?) seconds", re.ASCII)
GPU = re.compile(r"rank +(\d+): .*name = (.*?) *$", re.MULTILINE)


def training_record(folder: Path) -> dict[str, Any]:
    """Setting, command, commit, machine, seed, updates, tokens and minutes of the run in a folder."""
    log = (folder / "train.log").read_text(encoding="utf-8", errors="replace")
    updates, tokens = trained(log)
    minutes = round(sum(float(found[1]) for found in END.finditer(log)) / 60, 1)
    record = {**read_json(folder / "run.json"), "updates": updates, "tokens": tokens, "minutes": minutes}
    # A resumed run lists its GPUs again.
    if gpus := list(dict(GPU.findall(log)).values()):
        record["machine"] = f"{len(gpus)} x {gpus[0]}"
    return record


def trained(log: str) -> tuple[int, int]:
    """A run's updates, and the tokens of their batches."""
    updates, tokens = 0, 0.0
    for row in map(read_row, log.splitlines()):
        # An epoch's line has the mean of all its updates; a run resumed at an epoch's end logs the epoch again.
        if row is not None and row.kind == EPOCH:
            tokens += max(0, row.updates - updates) * row.values.get("wpb", 0)
            updates = max(updates, row.updates)
    return updates, round(tokens)
