#!/usr/bin/env python3
"""Measure how long xalign takes to begin, and what its processes need together: this tree and an older one in turn.

usage: benchmark_startup.py [--baseline FOLDER] [--rounds 5] [--work FOLDER] [--out FOLDER]

FOLDER is a checkout of an earlier commit (git worktree add FOLDER COMMIT). Measured are xalign --help, and xalign align
of one line by e5-small, which needs no cache, and by a checkpoint of XLM-R base's sizes, with an empty cache (the
operator of transport is compiled) and with a filled one; medians of wall and CPU seconds of whole processes, whose
Python files are compiled beforehand. Then the most memory that two processes (--processes 2) have together, shared
pages counted once (PSS). Writes OUT/startup.json and the table OUT/startup.md.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

from harness import RESULTS, processor, table, write

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
LINE = ("the red house is big .", "la maison rouge est grande .")
MANY = 400  # lines for two processes, which keep them until both have their weights
OWN = "a checkpoint of XLM-R base's sizes"
COLUMNS = ("command", "tree", "wall s", "CPU s")


class Tree:
    """A checkout whose xalign is run: its files compiled into a folder, and its cache."""

    def __init__(self, root: Path, work: Path):
        self.root, self.cache = root, work / "cache"
        self.commit = commit(root / "setup.py") or "unknown"
        dropped = ("OMP_NUM_THREADS", "PYTHONDONTWRITEBYTECODE")
        self._environment = {name: value for name, value in os.environ.items() if name not in dropped} | {
            "PYTHONPATH": str(root),
            "PYTHONPYCACHEPREFIX": str(work / "compiled"),
            "XALIGN_CACHE": str(self.cache),
        }

    def start(self, *options: object) -> subprocess.Popen[bytes]:
        """A process of its xalign."""
        command = [sys.executable, "-m", "xalign_fairseq", *map(str, options)]
        return subprocess.Popen(command, env=self._environment, stdout=subprocess.DEVNULL, cwd=self.root)

    def seconds(self, *options: object) -> tuple[float, float]:
        """Wall and CPU seconds of a process and of those that it ends."""
        begin, process = time.perf_counter(), self.start(*options)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, process.args)
        return time.perf_counter() - begin, used.ru_utime + used.ru_stime

    def peak_mb(self, *options: object) -> float:
        """The most that a process and those that it starts have at once, pages that several share counted once."""
        process, most = self.start(*options), 0.0
        while process.poll() is None:
            most = max(most, sum(map(_pss_mb, _family(process.pid))))
            time.sleep(0.05)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, process.args)
        return most


def _family(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # it has ended meanwhile
            for child in task.read_text().split():
                yield from _family(int(child))


def _pss_mb(pid: int) -> float:
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 2**10
    return 0.0


def cases(work: Path) -> dict[str, list[object]]:
    """The commands by what they are called; text and checkpoint are made."""
    for count, name in ((1, "one"), (MANY, "many")):
        for side, text in zip(("src", "tgt"), LINE, strict=True):
            (work / f"{name}.{side}").write_text(f"{text}\n" * count)
    own = random_base(work)
    one = ["align", "--quiet", "--src", work / "one.src", "--tgt", work / "one.tgt"]
    return {
        "--help": ["--help"],
        "align a line, e5-small": [*one, "--model", "e5-small"],
        f"align a line, {OWN}, empty cache": [*one, "--model", own],
        f"align a line, {OWN}": [*one, "--model", own],
    }


def random_base(work: Path) -> Path:
    """A checkpoint of XLM-R base's sizes with random weights and the tokenizer of e5-small."""
    import torch

    from xalign_fairseq.encoder.config import EncoderConfig
    from xalign_fairseq.encoder.pretrained.reading import read_pretrained
    from xalign_fairseq.encoder.transformer import Encoder

    tokenizer = read_pretrained("e5-small")[0]["task_state"]["tokenizer"]
    torch.manual_seed(1)
    config = EncoderConfig(vocab_size=250002)
    model = {f"encoder.{name}": value for name, value in Encoder(config).state_dict().items()}
    work.mkdir(parents=True, exist_ok=True)
    path = work / "random-base.pt"
    torch.save({"cfg": {"model": config.as_options()}, "model": model, "task_state": {"tokenizer": tokenizer}}, path)
    return path


def measure(trees: Mapping[str, Tree], work: Path, rounds: int) -> dict[str, Any]:
    """Seconds of each command and tree, all trees in turn; then memory."""
    commands = cases(work)
    for tree in trees.values():
        tree.seconds(*commands[f"align a line, {OWN}"])  # compiles Python's files
    seconds: dict[str, dict[str, Any]] = {name: {} for name in commands}
    for name, options in commands.items():
        taken: dict[str, list[tuple[float, float]]] = {each: [] for each in trees}
        for _ in range(rounds):
            for each, tree in trees.items():
                if "empty cache" in name:
                    shutil.rmtree(tree.cache, ignore_errors=True)
                taken[each].append(tree.seconds(*options))
        for each, found in taken.items():
            wall, cpu = (median(part) for part in zip(*found, strict=True))
            seconds[name][each] = {"wall": wall, "cpu": cpu, "walls": [both[0] for both in found]}
    many = ["align", "--quiet", "--src", work / "many.src", "--tgt", work / "many.tgt", "--device", "cpu"]
    models = {"e5-small": "e5-small", OWN: commands[next(reversed(commands))][-1]}
    memory = {
        model: {
            each: {n: tree.peak_mb(*many, "--processes", n, "--model", path) for n in (1, 2)}
            for each, tree in trees.items()
        }
        for model, path in models.items()
    }
    return {"seconds": seconds, "memory_mb": memory}


def report(record: Mapping[str, Any]) -> str:
    """The tables."""
    rows = [
        (f"`xalign` {name}", each, f"{found['wall']:.2f}", f"{found['cpu']:.2f}")
        for name, trees in record["seconds"].items()
        for each, found in trees.items()
    ]
    memory = [
        (model, each, *(f"{mb:.0f} MB" for mb in found.values()))
        for model, trees in record["memory_mb"].items()
        for each, found in trees.items()
    ]
    commits = ", ".join(f"{each} is commit {found}" for each, found in record["commits"].items())
    return (
        f"Median of {record['rounds']} processes each, in turn; {record['processor']}; {commits}; "
        f"`{record['command']}`.\n\n{table(COLUMNS, rows)}\n\n"
        f"{table(('model', 'tree', 'most memory, 1 process', '--processes 2, shared pages once'), memory)}\n"
    )


def run(args: argparse.Namespace) -> None:
    """Measure and write."""
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        work = Path(folder)
        roots = {"before": args.baseline, "now": HERE.parent} if args.baseline else {"now": HERE.parent}
        trees = {name: Tree(root.resolve(), work / name) for name, root in roots.items()}
        found = measure(trees, work, args.rounds)
    record = {
        "command": "scripts/benchmark_startup.py" + " --baseline FOLDER" * bool(args.baseline),
        "commits": {name: tree.commit for name, tree in trees.items()},
        "processor": processor("cpu"),
        "rounds": args.rounds,
        **found,
    }
    write(args.out, "startup", record, report(record))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baseline", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=Path, help="where 1.2 GB are made and removed again (default: the system's)")
    parser.add_argument("--out", type=Path, default=RESULTS)
    run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(exit_code(main))
