"""Fine-tune encoders on tasks and test them across languages.

Each run has result.json (scores) and predictions; xalign transfer-report makes the tables. A study (YAML) names tasks,
files and hyper-parameters; examples/transfer/studies/ has those of the papers. The default is XTREME's: train in
English, select the model on English development data, with the hyper-parameters of Wu & Dredze (2020). Everything is
checked before the first run.

A run is one checkpoint, task and seed, in DIR/runs/CHECKPOINT/TASK/LANGUAGES/SEED. The same command again runs what is
missing and continues interrupted runs. Each run gets one GPU if there is any, otherwise its share of the cores.

Examples:
  xalign transfer --model xlmr=xlmr.base/model.pt --model ours=checkpoints/checkpoint_best.pt \\
    --data xtreme/download --tasks xnli pos --languages en de fr --out transfer
  xalign transfer-report transfer --baseline xlmr
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from xalign_fairseq.cli._arguments import PRETRAINED, add_model, add_out, named_models, parse_as
from xalign_fairseq.core.counts import counted

if TYPE_CHECKING:
    from xalign_fairseq.transfer.plan import StudyPlan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    about = f"encoder to compare, with its name in the tables: {PRETRAINED}; repeatable"
    add_model(parser, about, several=True, metavar="NAME=MODEL")
    add_out(parser, "folder of all runs", metavar="DIR")
    parser.add_argument("--study", metavar="YAML", help="tasks, files and hyper-parameters (default: XTREME's)")
    parser.add_argument("--data", metavar="DIR", help="data folder (default: the study's)")
    parser.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all tasks of the study")
    parser.add_argument("--languages", nargs="+", metavar="LANG", help="test languages (default: all of the study)")
    parser.add_argument(
        "--seeds", nargs="+", type=int, metavar="S", help="default: the study's, otherwise 12 156 78 37 8 (Wu & Dredze)"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="parallel runs; each has one GPU, or cores/N (default: 1)"
    )
    parser.add_argument("--dry-run", action="store_true", help="check everything and print the runs and their commands")
    parser.add_argument("--keep-models", action="store_true", help="keep each run's best model")
    parser.add_argument("--cpu", action="store_true", help="use no GPU")
    precision = parser.add_mutually_exclusive_group()
    precision.add_argument("--fp16", action="store_true", help="train and predict in fp16")
    precision.add_argument(
        "--bf16", action="store_true", help="train and predict in bf16 (on a CPU, only the matrix products)"
    )


def run(args: argparse.Namespace) -> int:
    """Check, run, and report failed runs; 1 if any run failed."""
    from xalign_fairseq.core.installation import require_fairseq

    require_fairseq()  # and OmegaConf, which fairseq installs and which reads studies
    from xalign_fairseq.transfer.plan import TransferOptions, make_plan

    precision = "fp16" if args.fp16 else "bf16" if args.bf16 else "fp32"
    options = parse_as(
        TransferOptions, args, models=named_models(args.model, bare=False), out=Path(args.out), precision=precision
    )
    plan = make_plan(options)
    print("\n".join(plan.lines()), flush=True)
    if args.dry_run:
        for name, command in plan.commands().items():
            print(f"\n# {name}\n{command or '# no training'}")
        return 0
    return _run(plan, args.quiet)


def _run(plan: "StudyPlan", quiet: bool) -> int:
    """Make the runs, with a line for each finished run."""
    from xalign_fairseq.core.process import exit_text, tail
    from xalign_fairseq.transfer.runs import summary

    failed = list[str]()
    try:
        for ended in plan.run():
            job = ended.job
            if ended.code:
                failed.append(job.name)
                print(f"failed: {job.name} ({exit_text(ended.code)}); the end of {job.log}:", file=sys.stderr)
                print(tail(job.log), file=sys.stderr)
            if not quiet:
                made = len(plan.specs) - ended.left - len(failed)
                last = f"{job.name} {'failed' if ended.code else summary(job.log.parent)}"
                print(f"{made} done, {len(failed)} failed, {ended.left} left; {last}", flush=True)
    except KeyboardInterrupt:
        print("the same command continues from here", file=sys.stderr)
        raise
    if failed:
        print(f"{counted(len(failed), 'run')} failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0
