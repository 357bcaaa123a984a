#!/usr/bin/env python3
"""Measure training: fairseq's RoBERTa, transformers' XLM-R and this package on the same batches of bitext, in turn.

usage: benchmark_training.py [--device cpu|cuda] [--arch base ...] [--dtype bfloat16 ...] [--pairs any 64 ...]
                             [--vocabulary trimmed whole] [--processes 1 2] [--memory own kept] [--rounds 3]
                             [--minutes N] [--data FOLDER | --data-bin FOLDER] [--work FOLDER] [--out FOLDER]
       benchmark_training.py --profile [the same options]

Four contestants start from the same weights, each in its own process: fairseq's encoder with masked_lm,
transformers' XLMRobertaForMaskedLM, ours with MLM and TLM (which predicts the same tokens), and ours with XLM-Align's
step. On a GPU a fifth runs ours as CUDA graphs. They take turns, each round on the same batches. Nothing is written
unless the first losses of the first three are equal.

DATA/assemble.py assembles real bitext, which is prepared with e5-small's vocabulary: only the pieces in the text
(trimmed), or all 250,002 (whole). Without DATA, or with --data-bin, there is one vocabulary, named in the table.
Every --arch is measured with every --dtype and the first value of --vocabulary, --pairs (lengths), --processes (which
share updates by gloo, and the threads) and --memory (whether all contestants keep or return the memory that a step
frees on a CPU; with own, only the package keeps it). Their other values are measured with the first dtype and one arch:
for --vocabulary the last arch; for --memory the last arch and vocabulary; otherwise the first. On a GPU the first arch
and dtype are also measured with 4 times the tokens per batch. Settings run in this order until --minutes are over.
WORK keeps data and rounds; run again to add missing rounds. Writes OUT/training-DEVICE.json after each setting, and
at the end the table OUT/training.md and the picture OUT/training.png from the results of all devices in OUT.
--profile writes OUT/training-profile-DEVICE.txt instead: where updates of this package and fairseq spend their time in
the first setting, by torch.profiler. On a GPU it adds --cuda-graphs, --compile and a trace,
training-trace-cuda.json.gz.
Needs: pip install ".[benchmark]". Missing or failing contestants are reported and skipped.
"""

import argparse
import hashlib
import json
import logging
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

import profiling
import training_data
import training_report
from harness import about, installed, processor, write_text
from training_batches import SEED, Setting
from training_contestants import COMPILED, GRAPHS, contestants_of
from training_processes import Process, Worker

from xalign_fairseq.core.devices import cores
from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.files import file_sha256
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.evaluation.plots.figure import require_matplotlib
from xalign_fairseq.trainer.train_record import commit

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared/data"
VOCABULARIES = (training_data.TRIMMED, training_data.WHOLE)
PACKAGES = ("xalign_fairseq", "fairseq-fixed", "transformers", "torch")
ARCHS, DTYPES = ("tiny", "small", "base"), ("float32", "bfloat16", "float16")
DEFAULT_DTYPES = {"cpu": ("float32", "bfloat16"), "cuda": ("bfloat16", "float16", "float32")}
# Tokens of a batch's pairs, and of its blocks; and batches per round.
TOKENS = {"cpu": {"tiny": 1024, "small": 1024, "base": 1024}, "cuda": {"tiny": 16384, "small": 16384, "base": 8192}}
BATCHES = {"cpu": 2, "cuda": 8}
ALIKE = ("fairseq", "xalign, MLM + TLM", "transformers")  # predict the same tokens with the same weights
TOLERANCE = 1e-5  # relative, for their first losses in float32
MASKED, WHOLE = "xalign, MLM + TLM", "xalign, XLM-Align"
LARGE = 4  # times the tokens, so that a batch fills a GPU
AXES = ("vocabulary", "pairs", "processes", "memory")  # varied one at a time
MEMORY = tuple(training_report.MEMORY)
PAIRS = {"cpu": ("any", "mixed", "32", "64", "128", "256"), "cuda": ("any", "mixed")}
GIVEN = "given"  # the vocabulary of --data-bin


class Measurement:
    """The rounds of one setting, in a file that is written after each round, so that none is repeated.

    ``end``: when to stop, by :func:`time.monotonic`.
    """

    def __init__(self, setting: Setting, path: Path, rounds: int, end: float):
        self.setting, self.path, self.rounds, self.end = setting, path, rounds, end
        self.found: dict[str, Any] = read_json(path) if path.is_file() else {}
        self.failed: dict[str, str] = {}
        self.processes: dict[str, Process] = {}

    def run(self) -> dict[str, dict[str, Any]]:
        """The results of each contestant so far; an ``error`` for those that failed."""
        names = contestants_of(self.setting)
        wanting = [name for name in names if self._lacks(name)]
        if wanting and self._in_time():
            try:
                self._measure(wanting)
            finally:
                for process in self.processes.values():
                    process.end()
        return {name: {**self.found.get(name, {}), **self._error(name)} for name in names}

    def _error(self, name: str) -> dict[str, str]:
        return {"error": self.failed[name]} if name in self.failed else {}

    def _lacks(self, name: str) -> bool:
        return len(self.found.get(name, {}).get("rounds", ())) < self.rounds

    def _in_time(self) -> bool:
        return time.monotonic() < self.end

    def _measure(self, names: Sequence[str]) -> None:
        self.processes = {name: Process(name, self.setting) for name in names}
        for process in self.processes.values():
            process.send("begin")  # all prepare in parallel
        for name in names:
            self._keep(name, self._answer(name))
        require_equal_losses({name: self.found[name]["first_loss"] for name in ALIKE if name in self.found})
        for number in range(self.rounds):
            for name in names:
                if name in self.processes and len(self.found[name].get("rounds", ())) <= number and self._in_time():
                    self._round(name, number)

    def _round(self, name: str, number: int) -> None:
        self.processes[name].send("round")
        found = self._answer(name)
        if found is not None:
            row = {key: found.pop(key) for key in ("tokens", "seconds")}
            self._keep(name, {**found, "rounds": [*self.found[name].get("rounds", ()), row]})
            self._say(
                f"round {number + 1} of {self.rounds}: {name}, {row['tokens'] / row['seconds']:.0f} tokens per second"
            )

    def _answer(self, name: str) -> dict[str, Any] | None:
        """A contestant's answer; None if it failed, which ends it."""
        try:
            return self.processes[name].receive()
        except XalignError as error:
            self.failed[name] = " ".join(str(error).split())
            self.processes.pop(name).end()
            self._say(f"{name}: {self.failed[name]}")
            return None

    def _keep(self, name: str, found: Mapping[str, Any] | None) -> None:
        if found is not None:
            self.found[name] = {**self.found.get(name, {}), **found}
            write_json(self.path, self.found)

    def _say(self, what: str) -> None:
        one = self.setting
        where = f"{one.arch}, {one.dtype}, {Path(one.data).name}, pairs {one.pairs}, {one.processes} processes"
        print(f"{where}: {what}", file=sys.stderr, flush=True)


def require_equal_losses(losses: Mapping[str, float]) -> None:
    """Raise :class:`XalignError` unless contestants with the same weights and batches start with the same loss."""
    if losses and max(losses.values()) - min(losses.values()) > TOLERANCE * max(losses.values()):
        raise XalignError(
            "the contestants' losses differ; nothing was written",
            where="the mean loss of the first batch, in nats, in float32",
            found=", ".join(f"{name} {loss:.6f}" for name, loss in losses.items()),
            expected=f"values within {TOLERANCE:g} of each other, relative",
        )


def compare(found: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row per contestant of a setting.

    Returns:
        ``tokens_per_second`` and ``times_fairseq``, each as [median, lowest, highest] over rounds, the latter from
        consecutive rounds; ``rounds``, their number; memory; for XLM-Align's step ``times_masked``, its
        time relative to MLM + TLM. If it failed, an ``error``; if time ran out, neither.
    """
    speeds = {name: _speeds(mine) for name, mine in found.items()}
    rows = []
    for name, mine in found.items():
        row = {"contestant": name}
        row |= {key: mine[key] for key in ("error", "first_loss", "peak_mb", "device_peak_mb") if key in mine}
        if speeds[name]:
            row |= {"rounds": len(speeds[name]), "tokens_per_second": _spread(speeds[name])}
            ratios = [own / base for own, base in zip(speeds[name], speeds.get("fairseq", []), strict=False)]
            row |= {"times_fairseq": _spread(ratios)} if ratios else {}
            masked = [base / own for own, base in zip(speeds[name], speeds.get(MASKED, []), strict=False)]
            row |= {"times_masked": _spread(masked)} if masked and name == WHOLE else {}
        rows.append(row)
    return rows


def _speeds(found: Mapping[str, Any]) -> list[float]:
    return [row["tokens"] / row["seconds"] for row in found.get("rounds", ())]


def _spread(values: Sequence[float]) -> list[float]:
    return [median(values), min(values), max(values)]


def digest(setting: Setting, versions: Mapping[str, str]) -> str:
    """The key of measurements that may be combined: options, data, versions, commit and machine."""
    text = file_sha256(Path(setting.data, "dict.txt"))
    what = [asdict(setting) | {"data": text}, dict(versions), commit(), processor(setting.device)]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:12]


def settings(args: argparse.Namespace, work: Path) -> Iterator[tuple[dict[str, Any], Setting]]:
    """The settings, each with the row's additional fields; makes data-bins when they are first needed."""

    def one(arch: str, dtype: str, times: int = 1, **other: Any) -> tuple[dict[str, Any], Setting]:
        axes = {axis: other.get(axis, getattr(args, axis)[0]) for axis in AXES}
        vocabulary = axes.pop("vocabulary")
        data = args.data_bin if vocabulary == GIVEN else training_data.make(vocabulary, args.data, work / "data")
        tokens = times * (args.max_tokens or TOKENS[args.device][arch])
        setting = Setting(arch, dtype, args.device, tokens, str(data), args.threads, BATCHES[args.device], **axes)
        large = {"times": times} if times > 1 else {}
        return {"arch": arch, "dtype": dtype, "vocabulary": vocabulary, **axes, **large}, setting

    for arch in args.arch:
        for dtype in args.dtype:
            yield one(arch, dtype)
            if args.device == "cuda" and (arch, dtype) == (args.arch[0], args.dtype[0]):
                yield one(arch, dtype, LARGE)
    for name in ("vocabulary", "processes", "pairs"):
        for value in getattr(args, name)[1:]:
            yield one(args.arch[-1 if name == "vocabulary" else 0], args.dtype[0], **{name: value})
    for value in args.memory[1:]:
        yield one(args.arch[-1], args.dtype[0], vocabulary=args.vocabulary[-1], memory=value)


def run(args: argparse.Namespace, work: Path) -> Iterator[dict[str, Any]]:
    """Measure; yield the content of the results file after each setting."""
    end = time.monotonic() + 60 * args.minutes
    versions = {package: found for package in PACKAGES if (found := installed(package))}
    options = ("arch", "dtype", "pairs", "processes", "memory")
    several = {name: " ".join(map(str, getattr(args, name))) for name in options}
    given = "".join(f" --{name} {values}" for name, values in several.items()) + f" --rounds {args.rounds}"
    given += f" --data-bin {args.data_bin.name}" if args.data_bin else f" --vocabulary {' '.join(args.vocabulary)}"
    given += f" --max-tokens {args.max_tokens}" if args.max_tokens else ""
    rows: list[dict[str, Any]] = []
    for which, setting in settings(args, work):
        found = Measurement(setting, work / f"training-{digest(setting, versions)}.json", args.rounds, end).run()
        which["batches"] = next((each["contents"] for each in found.values() if "contents" in each), None)
        rows += [{**which, **row} for row in compare(found)]
        command = f"benchmark_training.py --device {args.device}{given}"
        made = about(command, args.device, PACKAGES, seed=SEED, cores=cores(), threads=args.threads)
        yield {**made, "device": args.device, "rows": rows}


def profile(setting: Setting, names: Sequence[str], folder: Path) -> None:
    """Profile updates; writes the file after each contestant and names those that fail."""
    parts: list[str] = []
    for name in names:
        trace = folder / f"training-trace-{setting.device}.json.gz" if setting.device == "cuda" and not parts else None
        try:
            worker = Worker(name, setting)
            worker.begin()
            samples = cycle(worker.contestant.samples)
            found = profiling.profile(lambda worker=worker, samples=samples: worker.contestant.step(next(samples)),
                                      setting.device, trace)  # fmt: skip
        except Exception as error:  # from another program or a compiler
            found = f"{type(error).__name__}: {' '.join(str(error).split())[:500]}"
        parts.append(f"An update of {setting.arch} in {setting.dtype}, {setting.tokens} tokens, {name}: {found}")
        write_text(folder / f"training-profile-{setting.device}.txt", "\n\n".join(parts) + "\n")


def length(given: str) -> str:
    """``any``, ``mixed`` or a number of tokens."""
    if given not in ("any", "mixed") and not (given.isdigit() and int(given)):
        raise argparse.ArgumentTypeError(f"expected any, mixed or a number of tokens, not {given}")
    return given


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=training_report.DEVICES, default="cpu")
    parser.add_argument("--arch", nargs="+", choices=ARCHS, default=["base", "small"], help="sizes of encoders")
    parser.add_argument("--dtype", nargs="+", choices=DTYPES, help="default: all; on a CPU without float16")
    parser.add_argument(
        "--pairs", nargs="+", type=length, help="lengths: any (sorted, as in training), mixed, or at most N tokens"
    )
    parser.add_argument("--vocabulary", nargs="+", choices=VOCABULARIES, help="for real bitext (default: both)")
    parser.add_argument("--processes", nargs="+", type=int, help="processes per update (default: 1, on a CPU also 2)")
    parser.add_argument(
        "--memory", nargs="+", choices=MEMORY, help="memory that a step frees (default: kept returned, on a GPU own)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds of updates on all batches, for each contestant")
    parser.add_argument("--minutes", type=float, default=math.inf, help="start no round later")
    parser.add_argument("--max-tokens", type=int, help="tokens of a batch's pairs, and of its blocks")
    parser.add_argument("--threads", type=int, default=cores(), help="threads of each contestant")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with assemble.py (default: ../shared/data)")
    parser.add_argument("--data-bin", type=Path, help="use this data-bin with bitext and monolingual text instead")
    parser.add_argument("--work", type=Path, help="folder for data and rounds (default: a temporary one)")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder for the results")
    parser.add_argument("--profile", action="store_true", help="profile updates instead of measuring speed")
    args = parser.parse_args()
    require_matplotlib()
    args.dtype = args.dtype or DEFAULT_DTYPES[args.device]
    args.pairs = args.pairs or PAIRS[args.device]
    args.processes = args.processes or ([1, 2] if args.device == "cpu" else [1])
    args.memory = args.memory or (["kept", "returned"] if args.device == "cpu" else ["own"])
    there = (GIVEN,) if args.data_bin else training_data.vocabularies(args.data)
    args.vocabulary = [each for each in args.vocabulary or there if each in there] or there
    with tempfile.TemporaryDirectory() as temporary:
        work = (args.work or Path(temporary)).resolve()
        if args.profile:
            args.out.mkdir(parents=True, exist_ok=True)
            logging.disable(logging.INFO)  # fairseq's
            _, first = next(settings(args, work))
            graphs = (GRAPHS, COMPILED) if args.device == "cuda" else ()  # on a CPU they save little
            profile(first, (MASKED, *graphs[:1], "fairseq", WHOLE, *graphs[1:]), args.out)
            return
        for result in run(args, work):
            write_json(args.out / f"training-{args.device}.json", result)
    print(training_report.write(args.out))


if __name__ == "__main__":
    sys.exit(exit_code(main))
