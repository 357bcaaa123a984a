"""Fine-tune encoders on tasks and test them across languages.

Scores and predictions are kept. A study names tasks, files and hyper-parameters (YAML; examples/transfer/studies/ has
those of the papers). Without one they are XTREME's: training in English, the model chosen on English development data,
hyper-parameters of Wu & Dredze (2020). Everything is checked before the first run. A run is a checkpoint, a task and a
seed; it stands in DIR/runs/CHECKPOINT/TASK/LANGUAGES/SEED. The same command again makes what is missing: finished runs
are left alone, and training that was broken off goes on. Each run has one GPU if there is any, or its part of the
cores.

Examples:
  xalign transfer --model xlmr=xlmr.base/model.pt --model ours=checkpoints/checkpoint_best.pt \\
    --data xtreme/download --tasks xnli pos --languages en de fr --out transfer
  xalign transfer-report transfer --baseline xlmr
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from xalign_fairseq.cli._arguments import PRETRAINED, add_model, add_out
from xalign_fairseq.core.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.transfer.grid import Checkpoint
    from xalign_fairseq.transfer.run_spec import RunSpec
    from xalign_fairseq.transfer.study import Study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to compare, on what, and how."""
    about = f"an encoder to compare, with a name for the tables: {PRETRAINED}; again for each"
    add_model(parser, about, several=True, metavar="NAME=MODEL")
    add_out(parser, "the folder of all runs", metavar="DIR")
    parser.add_argument("--study", metavar="YAML", help="tasks, files and hyper-parameters (default: XTREME's)")
    parser.add_argument("--data", metavar="DIR", help="folder of the data (default: the study's)")
    parser.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all of the study")
    parser.add_argument("--languages", nargs="+", metavar="LANG", help="to test on (default: all of the study)")
    parser.add_argument(
        "--seeds", nargs="+", type=int, metavar="S", help="default: the study's, else 12 156 78 37 8 (Wu & Dredze)"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="runs side by side; each has one GPU, or cores/N (default: 1)"
    )
    parser.add_argument("--dry-run", action="store_true", help="check everything, print the runs and their commands")
    parser.add_argument("--keep-models", action="store_true", help="keep each run's best model")
    parser.add_argument("--cpu", action="store_true", help="use no GPU")
    precision = parser.add_mutually_exclusive_group()
    precision.add_argument("--fp16", action="store_true", help="train and predict in fp16")
    precision.add_argument(
        "--bf16", action="store_true", help="train and predict in bf16, on a CPU the products of both"
    )


def run(args: argparse.Namespace) -> int:
    """Check, run, and tell what failed; 1 if any run did."""
    import tempfile
    from dataclasses import replace

    from xalign_fairseq.core.installed import require_fairseq

    require_fairseq()  # and what comes with it: studies are read by OmegaConf
    from xalign_fairseq.transfer.grid import build, describe
    from xalign_fairseq.transfer.run_spec import is_done
    from xalign_fairseq.transfer.runs import tidy

    if args.jobs < 1:
        raise XalignError("there must be at least one job", parameter="jobs", found=args.jobs)
    study = _study(args)
    out = Path(args.out).absolute()
    precision = "fp16" if args.fp16 else "bf16" if args.bf16 else "fp32"
    with tempfile.TemporaryDirectory() as scratch:
        kept = out / "checkpoints"
        cache = Path(scratch) if args.dry_run else kept
        encoders = [
            replace(each, path=kept / each.path.name) if each.path.parent == cache else each
            for each in _checkpoints(args.model, cache)
        ]
        specs = build(study, encoders, cpu=args.cpu, precision=precision)
    done = {spec.name: is_done(spec, out) for spec in specs}
    print("\n".join(describe(study, specs, done)), flush=True)
    if args.dry_run:
        _print_commands(specs, out)
        return 0
    for spec in specs:
        if done[spec.name]:
            tidy(spec.folder(out), keep_models=True)  # an earlier command may have kept the tested one
    return _run_all([spec for spec in specs if not done[spec.name]], args, len(specs))


def _study(args: argparse.Namespace) -> "Study":
    from xalign_fairseq.transfer.study import load_study, select, xtreme_study

    if args.study:
        return select(load_study(args.study, args.data), args.tasks, args.languages, args.seeds)
    if not args.data or not args.languages:
        raise XalignError(
            "it is not said what to test on",
            found="neither --study nor " + ("--data" if not args.data else "--languages"),
            expected="--study YAML, or --data DIR --languages LANG ...",
        )
    return select(xtreme_study(args.data, args.languages), args.tasks, None, args.seeds)


def _checkpoints(given: list[str], cache: Path) -> "list[Checkpoint]":
    from xalign_fairseq.transfer.grid import open_checkpoint
    from xalign_fairseq.transfer.study import check_name

    named: dict[str, str] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not equals or name in named:
            raise XalignError(
                "the checkpoints need names of their own", parameter="model", found=each, expected="NAME=MODEL"
            )
        named[check_name(name, "--model")] = path
    return [open_checkpoint(name, path, cache) for name, path in named.items()]


def _print_commands(specs: "list[RunSpec]", out: Path) -> None:
    from xalign_fairseq.transfer.run_spec import shown_command

    for spec in specs:
        command = shown_command(spec, spec.folder(out) / "checkpoints")
        print(f"\n# {spec.name}\n{command or '# no training'}")


def _run_all(specs: "list[RunSpec]", args: argparse.Namespace, total: int) -> int:
    """Run what is left, with a line for each that ends."""
    from tqdm import tqdm

    from xalign_fairseq.core.devices import visible_gpus
    from xalign_fairseq.core.json_files import read_json
    from xalign_fairseq.core.process import exit_text, tail
    from xalign_fairseq.transfer.runs import job, summary
    from xalign_fairseq.transfer.scheduler import run_jobs, share

    out = Path(args.out).absolute()
    jobs = [job(spec, out, args.keep_models) for spec in specs]
    by_name = {spec.name: spec for spec in specs}
    slots = share(args.jobs, [] if args.cpu else visible_gpus())
    failed: list[str] = []
    with tqdm(
        total=total, initial=total - len(jobs), unit=" runs", disable=args.quiet or not sys.stderr.isatty()
    ) as bar:
        try:
            for ended in run_jobs(jobs, args.jobs, slots):
                name = ended.job.name
                if ended.code:
                    failed.append(name)
                    bar.write(f"failed: {name} ({exit_text(ended.code)}); the end of {ended.job.log}:", file=sys.stderr)
                    bar.write(tail(ended.job.log), file=sys.stderr)
                    last = f"{name} failed"
                else:
                    result = read_json(by_name[name].folder(out) / "result.json")
                    last = f"{name} {summary(result)}"
                bar.update()
                bar.set_postfix_str(f"{len(failed)} failed, {last}")
                if bar.disable and not args.quiet:
                    made = total - ended.left - len(failed)
                    print(f"{made} done, {len(failed)} failed, {ended.left} left; {last}", flush=True)
        except KeyboardInterrupt:
            print("the same command goes on from here", file=sys.stderr)
            raise
    if failed:
        print(f"{len(failed)} runs failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0
