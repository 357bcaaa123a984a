#!/usr/bin/env python3
"""What an update costs the host: CPU time with tiny layers, launches, and waits, of this package and of fairseq.

usage: benchmark_update.py --data-bin FOLDER [--before FILE] [--rounds 5] [--out FOLDER]

Encoders have base's 12 layers with a width of 64 and small batches, so that products take little of the time. Rounds
of updates alternate between contestants. A launch is an operation that would be a kernel on a GPU, a wait one that
would read from it; both are counted on the CPU, where attention is one operation here.
Writes OUT/update.json and OUT/update.md. --before: the JSON file of the same command with another commit of the package
(PYTHONPATH), shown in brackets.
"""

import argparse
import logging
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import pytest
import torch
import torch.nn.functional as F
import training_contestants
from harness import about, in_turn, table, write
from launches import Launches
from training_batches import SEED, Setting
from training_processes import Worker

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.transport.ops import attention

HERE = Path(__file__).resolve().parent
NAMES = ("fairseq", "xalign, MLM + TLM", "xalign, XLM-Align")
DTYPES = ("float32", "bfloat16")
TINY = (
    "--encoder-layers",
    "12",
    "--encoder-embed-dim",
    "64",
    "--encoder-ffn-embed-dim",
    "64",
    "--encoder-attention-heads",
    "4",
)
TOKENS, BATCHES = 256, 10


def measure(data: Path, dtype: str, rounds: int) -> list[dict[str, Any]]:
    """A row for each contestant."""
    read, options = training_contestants.read_options, TINY
    with patch.object(training_contestants, "read_options", lambda *given: read(*given, *options)):
        workers = {name: Worker(name, Setting("tiny", dtype, "cpu", TOKENS, str(data), 1, BATCHES)) for name in NAMES}
    for worker in workers.values():
        worker.begin()
    seconds = in_turn({name: worker.round for name, worker in workers.items()}, rounds, time.process_time)
    return [
        {
            "contestant": name,
            "dtype": dtype,
            "milliseconds": [1e3 * each / BATCHES for each in seconds[name]],
            **count(worker),
        }
        for name, worker in workers.items()
    ]


def count(worker: Worker) -> dict[str, int]:
    """Launches and waits of an update."""
    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(attention, "by_products", F.scaled_dot_product_attention)
        with Launches(patching) as found:
            worker.contestant.step(worker.contestant.samples[0])
    return {"launches": found.kernels.total(), "waits": found.waits.total()}


def report(found: Mapping[str, Any]) -> str:
    """The table, and how it was made."""
    rows = []
    for row in found["rows"]:
        base = next(each for each in found["rows"] if (each["dtype"], each["contestant"]) == (row["dtype"], NAMES[0]))
        ratios = [mine / theirs for mine, theirs in zip(row["milliseconds"], base["milliseconds"], strict=True)]
        before = found["before"].get(f"{row['dtype']}, {row['contestant']}", {})
        pairs = [f"{row[key]:,}" + (f" ({before[key]:,})" if before else "") for key in ("launches", "waits")]
        times = f"{median(row['milliseconds']):.0f}", f"{median(ratios):.2f}"
        rows.append((row["contestant"], row["dtype"], *pairs, *times))
    head = ("program", "precision", "launches", "waits", "CPU ms", "times fairseq")
    versus = f"; in brackets: commit {found['before_commit']}" if found["before"] else ""
    made = f"{found['machine']}, 1 thread; torch {found['versions']['torch']}; seed {found['seed']}"
    how = f"Medians of {found['rounds']} rounds in turn{versus}. {made}; commit {found['commit']}; `{found['command']}`"
    return f"{table(head, rows)}\n\n{how}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-bin", type=Path, required=True, help="with bitext and monolingual text")
    parser.add_argument("--before", type=Path, help="update.json of another commit")
    parser.add_argument("--rounds", type=int, default=5, help="of updates, for each contestant")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder for the results")
    args = parser.parse_args()
    logging.disable(logging.INFO)
    torch.set_num_threads(1)
    rows = [row for dtype in DTYPES for row in measure(args.data_bin, dtype, args.rounds)]
    command = f"benchmark_update.py --data-bin {args.data_bin.name} --rounds {args.rounds}"
    before = read_json(args.before) if args.before else {"rows": [], "commit": ""}
    keyed = {f"{row['dtype']}, {row['contestant']}": row for row in before["rows"]}
    made = about(command, "cpu", ("torch", "fairseq-fixed"), seed=SEED, rounds=args.rounds)
    found = {**made, "rows": rows, "before": keyed, "before_commit": before["commit"]}
    write(args.out, "update", found, report(found))


if __name__ == "__main__":
    sys.exit(exit_code(main))
