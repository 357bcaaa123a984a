#!/usr/bin/env python3
"""Write a kit's measurements on a GPU into the tables of this repository.

usage: collect.py [OUT] [--check]

OUT is the folder of run.sh's results. Its benchmarks go to scripts/results/ (NAME-cuda.json), with their profiles;
their tables and figures are rewritten. The status of each stage on each machine goes to gpu_runs.json here. Then the
parts <!-- gpu:NAME --> of docs/gpu.md, and all tables of compile_results.py, are rewritten from these files.
Without OUT only the documents are rewritten; --check only compares them.
"""

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # the scripts that write tables

import benchmark_aligner  # noqa: E402
import compile_results  # noqa: E402
import gpu_tables  # noqa: E402
import markers  # noqa: E402
import sinkhorn_report  # noqa: E402
import training_report  # noqa: E402

from xalign_fairseq.core.errors import XalignError, exit_code  # noqa: E402
from xalign_fairseq.core.json_files import read_json, write_json  # noqa: E402

ROOT = HERE.parent.parent
RUNS = Path("scripts/gpu/gpu_runs.json")
RESULTS = Path("scripts/results")
DOCUMENTS = ("docs/gpu.md",)
COMMAND = "python scripts/gpu/collect.py"
BESIDE = ("sinkhorn-profile-cuda.txt", "training-profile-cuda.txt")
KEPT = ("device", "devices", "driver", "torch", "cuda", "python", "commit", "apex")
REPORTS = {
    "aligner-cuda.json": benchmark_aligner.report,
    "sinkhorn-cuda.json": sinkhorn_report.write,
    "training-cuda.json": training_report.write,
}


def read(out: Path) -> list[dict[str, Any]]:
    """The results of the stages in a folder, in the order of their starts."""
    found = sorted((read_json(path) for path in out.glob("*.json")), key=lambda result: result["start"])
    if not found:
        raise XalignError("there are no results", where=out, remedy="scripts/gpu/run.sh KIT OUT writes them")
    devices = {result["device"] for result in found} - {None}
    commits = {result["commit"] for result in found}
    if not devices:
        raise XalignError("nothing was measured: there was no GPU", where=out, remedy="run the kit on a GPU machine")
    if len(devices) > 1 or len(commits) > 1:
        text = ", ".join(sorted(devices | commits))
        raise XalignError("the results are from different machines or commits", where=out, found=text)
    return found


def summary(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One entry of gpu_runs.json: the machine, and each stage's status."""
    last = next(result for result in reversed(results) if result["device"] is not None)
    stages = {}
    for result in results:
        stages[result["stage"]] = {key: result[key] for key in ("status", "seconds", "reason") if key in result}
        tests = result.get("figures", {}).get("tests.json")
        if tests:
            stages[result["stage"]]["tests"] = [tests["passed"], len(tests["failed"]), len(tests["skipped"])]
    return {**{key: last[key] for key in KEPT if key in last}, "date": results[0]["start"][:10], "stages": stages}


def take(results: Sequence[Mapping[str, Any]], root: Path) -> None:
    """Write the benchmarks' files and reports, and this run's entry, which replaces one of the same machine.

    Stages without a new result keep their earlier result, with its commit.
    """
    for result in results:
        for name, figures in result.get("figures", {}).items():
            if name.endswith("-cuda.json"):  # also of a stage that failed in part, which the file records
                write_json(root / RESULTS / name, figures)
                print(f"wrote {RESULTS / name}")
                if name in REPORTS:
                    REPORTS[name](root / RESULTS)
    new = summary(results)
    others = []
    for run in read_json(root / RUNS)["runs"]:
        if any(run.get(key) != new.get(key) for key in ("device", "devices")):
            others.append(run)
        elif run["commit"] != new["commit"]:
            earlier = {name: {"commit": run["commit"], **stage} for name, stage in run["stages"].items()}
            new["stages"] = earlier | new["stages"]
    write_json(root / RUNS, {"runs": [new, *others]})
    print(f"wrote {RUNS}")


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, nargs="?", help="folder of results")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a document is outdated")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (default: this one)")
    args = parser.parse_args(given)
    if args.out and not args.check:
        take(read(args.out), args.root)
        for name in BESIDE:
            if (args.out / name).is_file():
                shutil.copyfile(args.out / name, args.root / RESULTS / name)
                print(f"wrote {RESULTS / name}")
    runs = read_json(args.root / RUNS)["runs"]
    write = {"runs": lambda: gpu_tables.runs(runs), "budgets": lambda: gpu_tables.budgets(args.root / RESULTS)}
    documents = [args.root / name for name in DOCUMENTS]
    outdated = markers.update(documents, "gpu", lambda name: write[name](), args.check, COMMAND)
    return compile_results.write(args.root, args.check) or outdated


if __name__ == "__main__":
    sys.exit(exit_code(main))
