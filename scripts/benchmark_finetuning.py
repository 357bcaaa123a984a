#!/usr/bin/env python3
"""Fine-tune an aligner step by step faster, side by side: tokens a second and the quality that is left.

usage: benchmark_finetuning.py --src FILE --tgt FILE --work FOLDER [--baseline CHECKOUT]
                               [--valid-src FILE --valid-tgt FILE --valid-gold FILE] [--model e5-small]
                               [--updates 20] [--batch-size 16] [--rounds 2] [--threads 1] [--out FOLDER]

Every variant is a run of xalign train-aligner on the same text with the same seed, and has one change more than the one
before: DWA + TLM plain (everything trained, in float32, in the whole vocabulary) by the package in CHECKOUT, which is
an earlier commit of it; the same by this package; frozen embeddings; the vocabulary trimmed to the text; products in
bfloat16, if the processor has instructions for it; and self-training, with the same batches, in place of DWA + TLM,
which has no use for trimming. Without --baseline there is no first row. Rounds run all variants in turn, so that what
else the machine does harms all alike; of each variant the fastest round counts, without its first update. With the
development set, AER before and after. WORK keeps the runs: what is done there is not done again. Writes
OUT/finetuning.json and the table OUT/finetuning.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmark_aligner import processor
from markers import table

from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
COLUMNS = ("objectives", "change", "tokens a second", "times the first", "AER before", "AER after")


@dataclass(frozen=True)
class Variant:
    """One way to train: what it adds to the variant before, its objectives, and options of train-aligner.

    ``earlier``: by the package of the checkout that is the baseline.
    """

    name: str
    change: str
    objectives: str
    frozen: bool = True
    trimmed: bool = True
    autocast: str = "auto"
    earlier: bool = False


PLAIN = "everything trained, float32"
VARIANTS = (
    Variant("earlier", PLAIN, "dwa,tlm", frozen=False, trimmed=False, autocast="no", earlier=True),
    Variant("plain", PLAIN, "dwa,tlm", frozen=False, trimmed=False, autocast="no"),
    Variant("frozen", "embeddings frozen", "dwa,tlm", trimmed=False, autocast="no"),
    Variant("trimmed", "vocabulary trimmed", "dwa,tlm", autocast="no"),
    Variant("bfloat16", "products in bfloat16", "dwa,tlm"),
    Variant("self-training", "no head, sides by themselves; whole vocabulary", "self_training", trimmed=False),
)


def variants_beside(baseline: Path | None) -> list[Variant]:
    """The variants, the first of them by a baseline's package; those of this package alone without one."""
    if baseline is None:
        return [variant for variant in VARIANTS if not variant.earlier]
    source = baseline / "xalign_fairseq/__init__.py"
    if not source.is_file():
        raise XalignError(
            "the baseline is no checkout of this package", parameter="baseline", found=baseline, expected=source
        )
    changes = {"earlier": f"{PLAIN}, at commit {commit(source) or 'unknown'}", "plain": "this version"}
    return [replace(variant, change=changes.get(variant.name, variant.change)) for variant in VARIANTS]


def run(args: argparse.Namespace, variant: Variant, number: int) -> Path:
    """Train once; the folder of the run.

    Raises:
        XalignError: train-aligner failed.
    """
    out = args.work / f"{variant.name}-{number}"
    line = [
        *(sys.executable, "-m", "xalign_fairseq", "train-aligner", "--model", args.model, "--out", str(out)),
        *("--src", str(args.src), "--tgt", str(args.tgt), "--objectives", variant.objectives, "--device", "cpu"),
        *("--updates", str(args.updates), "--validate-every", str(args.updates), "--batch-size", str(args.batch_size)),
        *("--lr", str(args.lr), "--warmup", str(args.updates // 4), "--freeze-layers", "0" if variant.frozen else "-1"),
        "--trim-vocabulary" if variant.trimmed else "--no-trim-vocabulary",
    ]
    for name in ("src", "tgt", "gold"):
        if path := getattr(args, f"valid_{name}"):
            line += [f"--valid-{name}", str(path)]
    line += ["--", "--log-interval", "1", "--autocast", variant.autocast]
    environment = {**os.environ, "OMP_NUM_THREADS": str(args.threads)}
    if variant.earlier:
        environment["PYTHONPATH"] = str(args.baseline)
    # python -m looks for the package in its folder first.
    if subprocess.run(line, env=environment, cwd=args.baseline if variant.earlier else None).returncode:
        raise XalignError("a training failed", where=out / "train.log", found=" ".join(line))
    return out


def tokens_per_second(log: str) -> float:
    """Tokens over seconds of all updates but the first, from the log of fairseq-train (``--log-interval 1``).

    Raises:
        XalignError: there are no two updates in it.
    """
    found = [json.loads(match) for match in re.findall(r"\| train_inner \| (\{.*\})", log)]
    counted = [(float(row["wpb"]), float(row["wps"])) for row in found if int(row["num_updates"]) > 1]
    if not counted:
        raise XalignError("there are fewer than two updates in a log", found=f"{len(found)} reports")
    return sum(tokens for tokens, _ in counted) / sum(tokens / speed for tokens, speed in counted)


def rows(work: Path, rounds: int, variants: Sequence[Variant]) -> list[dict[str, Any]]:
    """What was measured of each variant: tokens a second of the fastest round and of all, AER of the first round."""
    made = []
    for variant in variants:
        folders = [work / f"{variant.name}-{number}" for number in range(rounds)]
        speeds = [tokens_per_second((folder / "train.log").read_text(encoding="utf-8")) for folder in folders]
        result = read_json(folders[0] / "result.json")
        made.append(
            {
                "name": variant.name,
                "objectives": variant.objectives,
                "change": variant.change,
                "tokens_per_second": max(speeds),
                "rounds": speeds,
                "before": result["before"],
                "after": result["aer"],
            }
        )
    return made


def render(result: Mapping[str, Any]) -> str:
    """The Markdown table and its note."""
    first = result["rows"][0]["tokens_per_second"]
    lines = [
        (
            row["objectives"].replace(",", ", "),
            row["change"],
            f"{row['tokens_per_second']:.0f}",
            f"{row['tokens_per_second'] / first:.1f}",
            *(_percent(row[name]) for name in ("before", "after")),
        )
        for row in result["rows"]
    ]
    note = (
        f"Each row has the changes of those above it. {result['updates']} updates of {result['batch_size']} pairs; "
        f"{result['machine']}; commit {result['commit']}; `{result['command']}`"
    )
    return f"{table(COLUMNS, lines)}\n\n{note}\n"


def _percent(aer: float | None) -> str:
    return "-" if aer is None else f"{100 * aer:.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--src", type=Path, required=True, help="text of the source language, named NAME.LANGUAGE")
    parser.add_argument("--tgt", type=Path, required=True, help="its translation, named NAME.LANGUAGE")
    parser.add_argument("--valid-src", type=Path, help="development set: source")
    parser.add_argument("--valid-tgt", type=Path, help="development set: target")
    parser.add_argument("--valid-gold", type=Path, help="development set: gold links")
    parser.add_argument("--baseline", type=Path, help="a checkout of an earlier commit, which makes the first row")
    parser.add_argument("--work", type=Path, required=True, help="folder that keeps the runs")
    parser.add_argument("--model", default="e5-small", help="as train-aligner takes it (default: e5-small)")
    parser.add_argument("--updates", type=int, default=20, help="of each run (default: 20)")
    parser.add_argument("--batch-size", type=int, default=16, help="pairs in an update (default: 16)")
    parser.add_argument("--lr", type=float, default=2e-5, help="default: 2e-5")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each variant (default: 2)")
    parser.add_argument("--threads", type=int, default=1, help="of each run (default: 1)")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="default: scripts/results")
    args = parser.parse_args(arguments)
    # A baseline runs in its own folder.
    for name, path in vars(args).items():
        if isinstance(path, Path):
            setattr(args, name, path.resolve())
    args.model = str(Path(args.model).resolve()) if Path(args.model).exists() else args.model
    args.work.mkdir(parents=True, exist_ok=True)
    variants = variants_beside(args.baseline)
    for number in range(args.rounds):
        for variant in variants:
            run(args, variant, number)
    result = {
        "command": f"benchmark_finetuning.py --src {args.src.name} --tgt {args.tgt.name} "
        f"--model {Path(args.model).name} --updates {args.updates} --batch-size {args.batch_size} "
        f"--rounds {args.rounds} --threads {args.threads}"
        + (f" --baseline {args.baseline.name}" if args.baseline else ""),
        "commit": commit(Path(__file__)) or "unknown",
        "machine": f"{processor('cpu')}, {args.threads} thread" + ("s" if args.threads > 1 else ""),
        "updates": args.updates,
        "batch_size": args.batch_size,
        "rows": rows(args.work, args.rounds, variants),
    }
    args.out.mkdir(parents=True, exist_ok=True)
    for name, text in (("finetuning.json", json.dumps(result, indent=1) + "\n"), ("finetuning.md", render(result))):
        with atomic_write(args.out / name) as out:
            out.write(text)
    print(render(result))


if __name__ == "__main__":
    sys.exit(exit_code(main))
