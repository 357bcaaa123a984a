#!/usr/bin/env python3
"""Copy the scores and counts of every finished run for a study's report, without the paths of a machine.

usage: collect_results.py OUT RESULTS [--add] [--reseeded]

OUT: of xalign transfer. Replaces RESULTS/runs; --add keeps runs that only RESULTS has, such as another machine's.
With --reseeded, each seed of a checkpoint may have its own encoder, trained with that seed: collect one OUT for each
with --add.
"""

import argparse
import re
import shutil
from pathlib import Path

from xalign_fairseq.core.files import atomic_folder
from xalign_fairseq.core.json_files import read_json, write_json


def portable(command: str) -> str:
    """A command with DATA, CHECKPOINT, USER_DIR and RUN in place of paths."""
    for option, name in (("--init-checkpoint", "CHECKPOINT"), ("--user-dir", "USER_DIR"), ("--save-dir", "RUN")):
        command = re.sub(rf"{option} \S+", f"{option} {name}", command)
    return re.sub(r"(?<=[ =,])/\S*?(?=/(?:eval|bitext)\b)", "DATA", command) if command.split()[1:2] else command


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--add", action="store_true", help="keep runs that OUT does not have")
    parser.add_argument("--reseeded", action="store_true", help="each seed has its own encoder")
    args = parser.parse_args()
    finished = sorted((args.out / "runs").rglob("result.json"))
    if not finished:
        parser.error(f"{args.out / 'runs'} has no finished runs")
    with atomic_folder(args.results / "runs", overwrite=True) as folder:
        if args.add and (args.results / "runs").is_dir():
            shutil.copytree(args.results / "runs", folder, dirs_exist_ok=True)
        for path in finished:
            run = folder / path.parent.relative_to(args.out / "runs")
            run.mkdir(parents=True, exist_ok=True)
            result = read_json(path)
            result["command"] = portable(result["command"])
            if args.reseeded:
                result["made_by"]["checkpoint_digest"] = "one for each seed"
            write_json(run / "result.json", result)
            shutil.copy(path.parent / "counts.npz", run)
    print(f"{len(finished)} runs in {args.results / 'runs'}")


if __name__ == "__main__":
    main()
