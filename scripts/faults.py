#!/usr/bin/env python3
"""Break real runs off, give the same command again, and compare what comes out with a run that nothing broke.

usage: faults.py [--kills 100] [--aimed 20] [--seed 1] [--only NAME ...] [--work FOLDER] [--out FOLDER]

The runs are small ones of fairseq-train, xalign prepare, align, transfer and train-aligner on the embedded sample text
(scripts/faults_runs.py). SIGKILL comes at random moments, to the process, to all that it has started, or to one of
these alone; or at a chosen point of writing a checkpoint (scripts/faults_aimed.py). Other faults are in
scripts/faults_cases.py: a full disk, files that change, dead workers, SIGTERM, SIGUSR1, losses that are no numbers. A
run is given again until it comes to its end, which has to be the same bit for bit: parameters, optimizer's state, place
in the data; links, data-bins, scores.

Finished trials are kept in --work, so that this script can be interrupted too. Writes OUT/faults.json and the table
OUT/faults.md; exits with 1 if any result differs.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from faults_aimed import KILLS
from faults_cases import all_cases
from faults_runs import all_runs, make_inputs
from faults_trials import Broken, Trial
from faults_warm import Warm
from markers import table

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
SHARES = {"fairseq-train": 0.5, "prepare": 0.16, "align": 0.16, "transfer": 0.08, "train-aligner": 0.1}
"""Of the random kills."""
PAIRS = 800


def trials(args: argparse.Namespace, work: Path) -> Iterator[Trial]:
    """All trials, those that are done first read from ``work``."""
    os.nice(10)
    make_inputs(work, lambda command: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), args.pairs)
    warm = Warm()
    broken = {name: Broken(run, work, warm) for name, run in all_runs(work).items()}
    training = broken["fairseq-train"]
    training.expected()
    if not (work / "model.pt").is_file():
        shutil.copy2(training.work / "whole/checkpoint_last.pt", work / "model.pt")
    known = work / "trials"
    known.mkdir(exist_ok=True)

    def kept(name: str, make: Callable[[], Trial]) -> Trial:
        path = known / f"{name}.json"
        if not path.is_file():
            begun = time.monotonic()
            trial = make()
            write_json(path, asdict(trial))
            told = f"differs: {trial.differs}" if trial.differs else "the same"
            seconds = time.monotonic() - begun
            print(f"{name}: {trial.fault}, {trial.times} times, {told} ({seconds:.0f} s)", file=sys.stderr, flush=True)
        return Trial(**read_json(path))

    chosen = [name for name in broken if not args.only or name in args.only]
    if training.run.name in chosen:
        points = list(KILLS)
        for each in range(args.aimed):
            point, turn = points[each % len(points)], each // len(points)
            # Of 8 saved checkpoints each is copied to checkpoint_last.pt, most to checkpoint_best.pt too.
            number = 1 + (2 * turn + each % 2) % 6
            yield kept(f"aimed-{each}", lambda point=point, number=number: training.aim(point, number, "aimed"))
    for name, case in all_cases(work).items():
        if case.run in chosen:
            yield kept(f"case-{name}", lambda case=case: case.trial(broken[case.run]))
    for name in chosen:
        done, number = 0, 0
        while done < round(args.kills * SHARES[name]):
            rng = np.random.default_rng((args.seed, number, *name.encode()))
            trial = kept(f"{name}-{args.seed}-{number}", lambda name=name, rng=rng: broken[name].kill(rng, "killed"))
            yield trial
            done, number = done + trial.times, number + 1


def summary(found: Sequence[Trial]) -> list[dict[str, Any]]:
    """Trials of the same run and fault together."""
    groups: dict[tuple[str, str], list[Trial]] = {}
    for trial in found:
        groups.setdefault((trial.run, trial.fault), []).append(trial)
    return [
        {
            "run": run,
            "fault": fault,
            "times": sum(each.times for each in group),
            "runs": len(group),
            "said": group[0].said,
            "differs": sorted({part for each in group for part in each.differs}),
        }
        for (run, fault), group in groups.items()
    ]


def render(result: Mapping[str, Any]) -> str:
    """The Markdown table and its note."""
    rows = []
    for row in result["rows"]:
        told = "; ".join(row["differs"]) or "bit for bit the same"
        rows.append((row["run"], row["fault"], str(row["times"]), row["said"], told))
    note = f"{result['runs']} runs, seed {result['seed']}; commit {result['commit']}; `{result['command']}`"
    return f"{table(('run', 'fault', 'times', 'what it said', 'after it was given again'), rows)}\n\n{note}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100, help="at random moments, over all runs (default: 100)")
    parser.add_argument("--aimed", type=int, default=20, help="while a checkpoint is written (default: 20)")
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"sentence pairs of the text (default: {PAIRS})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=list(SHARES), help="these runs alone")
    parser.add_argument("--work", type=Path, help="folder of the runs; what is done there is not done again")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder for the results")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = (args.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        found = list(trials(args, work))
    given = f" --only {' '.join(args.only)}" if args.only else ""
    result = {
        "command": f"faults.py --kills {args.kills} --aimed {args.aimed} --seed {args.seed}{given}",
        "commit": commit(Path(__file__)) or "unknown",
        "seed": args.seed,
        "runs": len(found),
        "rows": summary(found),
    }
    write_json(args.out / "faults.json", result)
    with atomic_write(args.out / "faults.md") as out:
        out.write(render(result))
    print(render(result))
    return int(any(trial.differs for trial in found))


if __name__ == "__main__":
    sys.exit(exit_code(main))
