#!/usr/bin/env python3
"""Measure the masked-language-model head's output layer and loss: time and memory, eager, ours and by others' chunks.

usage: benchmark_head.py [--predictions 1024 128] [--vocabulary 250002 11061] [--hidden 768 384]
                         [--precision float32 bfloat16] [--threads 1] [--seconds 3] [--out FOLDER]

Loss and gradients of N predictions over V tokens from H features, on the CPU; in bfloat16 the products, by autocast.
Every contestant of every case has a process of its own, is run once on a small problem, and then until SECONDS have
passed, at most five times; the fastest run counts. Memory is what the process's peak has grown by, the gradients
included. V = 11,061 is e5-small's vocabulary trimmed to 6,000 sentence pairs. The others' chunks are measured at the
first of the hidden sizes. A loss that differs from the eager one is an error. Writes OUT/head.json and the table
OUT/head.md; five minutes on two cores.
"""

import argparse
import itertools
import shlex
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmark_aligner import processor
from markers import table
from peak_memory import peak_mb

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
SEED = 1
MOST = 5  # runs of a contestant
SIZES = ("predictions", "vocabulary", "hidden")
DEFAULTS = {"predictions": [1024, 128], "vocabulary": [250002, 11061], "hidden": [768, 384]}
PRECISIONS = ("float32", "bfloat16")
TOLERANCE = {"float32": 1e-5, "bfloat16": 1e-3}  # of the loss, relative


def measure(contestant: str, case: dict[str, Any], threads: int, seconds: float) -> dict[str, Any]:
    """What a contestant takes of a case, in this process."""
    import torch
    from head_contestants import CONTESTANTS

    torch.set_num_threads(threads)
    torch.manual_seed(SEED)
    function = CONTESTANTS[contestant]

    def problem(n: int, v: int, h: int) -> list[torch.Tensor]:
        parts = [torch.empty(shape).uniform_(-0.1, 0.1).requires_grad_() for shape in ((n, h), (v, h), (v,))]
        return [*parts, torch.randint(v, (n,))]

    def run(given: list[torch.Tensor]) -> float:
        for each in given:
            each.grad = None
        with torch.autocast("cpu", torch.bfloat16, enabled=case["precision"] == "bfloat16"):
            loss = function(*given)
        loss.backward()
        return loss.item()

    run(problem(8, 1000, case["hidden"]))
    given = problem(*(case[size] for size in SIZES))
    before, begin, took = peak_mb(), time.perf_counter(), []
    while not took or (len(took) < MOST and time.perf_counter() - begin < seconds):
        start = time.perf_counter()
        loss = run(given)
        took.append(time.perf_counter() - start)
    return {"seconds": took, "extra_mb": peak_mb() - before, "loss": loss}


def compare(case: dict[str, Any], contestants: list[str], threads: int, seconds: float) -> dict[str, Any]:
    """A case with what each contestant takes of it; XalignError if one has another loss than the first."""
    found = {}
    for name in contestants:
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            found[name] = process.submit(measure, name, case, threads, seconds).result()
        print(f"  {name}: {min(found[name]['seconds']):.2f} s, {found[name]['extra_mb']:.0f} MB", file=sys.stderr)
    losses = {name: each.pop("loss") for name, each in found.items()}
    first = losses[contestants[0]]
    if any(abs(loss - first) > TOLERANCE[case["precision"]] * first for loss in losses.values()):
        raise XalignError("the losses of one problem differ", where=case, found=losses)
    return {**case, "contestants": found}


def report(results: dict[str, Any]) -> str:
    """The table of a results file, and how it was made."""
    names = list(dict.fromkeys(name for case in results["cases"] for name in case["contestants"]))
    rows = []
    for case in results["cases"]:
        found = case["contestants"]
        first = found[names[0]]
        cells = [_cell(found[name], None if name == names[0] else first) if name in found else "" for name in names]
        rows.append([*(f"{case[size]:,}" for size in SIZES), case["precision"], *cells])
    threads = f"{results['threads']} thread{'s' if results['threads'] > 1 else ''}"
    notes = (
        "Loss and gradients of all parameters; seconds and extra memory with the gradients in it, in brackets: times "
        f"{names[0]}'s.",
        f"- cpu: {results['machine']}, {threads}; torch {results['torch']}; fastest of up to {MOST} runs, a process "
        f"for each cell; seed {results['seed']}; commit {results['commit']}; `{results['command']}`",
    )
    return "\n\n".join([table(("predictions", *SIZES[1:], "products in", *names), rows), *notes]) + "\n"


def _cell(found: dict[str, Any], first: dict[str, Any] | None) -> str:
    took, memory = min(found["seconds"]), found["extra_mb"]
    if first is None:
        return f"{took:.3g} s, {memory:,.0f} MB"
    return f"{took:.3g} s ({took / min(first['seconds']):.2f}), {memory:,.0f} MB ({memory / first['extra_mb']:.2f})"


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, values in DEFAULTS.items():
        text = f"default: {' '.join(map(str, values))}"
        parser.add_argument(f"--{option}", nargs="+", type=int, default=values, help=text)
    parser.add_argument("--precision", nargs="+", choices=PRECISIONS, default=list(PRECISIONS), help="default: both")
    parser.add_argument("--threads", type=int, default=1, help="default: 1")
    parser.add_argument("--seconds", type=float, default=3, help="of each contestant, at least one run; default: 3")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="default: scripts/results")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Measure, and write the results."""
    import torch
    from head_contestants import available

    args = parse(argv)
    cases = []
    for sizes in itertools.product(args.vocabulary, args.hidden, args.predictions, args.precision):
        case = dict(zip(("vocabulary", "hidden", "predictions", "precision"), sizes, strict=True))
        print(", ".join(f"{key} {value}" for key, value in case.items()), file=sys.stderr)
        contestants = available() if case["hidden"] == args.hidden[0] else ["eager", "ours"]
        cases.append(compare(case, contestants, args.threads, args.seconds))
    settings = [f"--{name}={getattr(args, name)}" for name in ("threads", "seconds")]
    given = [str(each) for option in (*DEFAULTS, "precision") for each in (f"--{option}", *getattr(args, option))]
    results = {
        "command": shlex.join(["benchmark_head.py", *given, *settings]),
        "commit": commit(Path(__file__)), "machine": processor("cpu"), "torch": torch.__version__, "seed": SEED,
        "threads": args.threads, "cases": cases,
    }  # fmt: skip
    write_json(args.out / "head.json", results)
    with atomic_write(args.out / "head.md") as stream:
        stream.write(report(results))
    print(report(results))


if __name__ == "__main__":
    main()
