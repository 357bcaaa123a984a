#!/usr/bin/env python3
"""Measure what it takes to begin training on a large text: time and memory by folders and pairs.

usage: benchmark_opening.py [--folders 1 20 200 2000] [--pairs 1000000 10000000 ...] [--work FOLDER] [--out FOLDER]

First several data-bins of 500,000 pairs each, as xalign prepare writes them: 2,000 of them are 10^9 pairs. Their large
files are one and the same on the disk, by hard links; manifests, and a dictionary and a model of the size of XLM-R's,
are each folder's own or (those two) links. Then one data-bin of ever more pairs, whose sentences are a sparse file.
Each in a process of its own: seconds of PretrainingData, with which fairseq-train begins too, and up to the first
batch of 4,096 tokens; then, after 50 batches, the memory of that process and its data worker together, without pages of
files (Pss_Anon: pages that both have count half for each), and the worker's part of it. Writes OUT/opening.json and the
table OUT/opening.md.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from benchmark_aligner import processor
from markers import table

from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.data.mmap import CODES, HEADER, MAGIC
from xalign_fairseq.data.prepare.manifest import hashes
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
EACH = 500_000  # pairs of one of many folders
SYMBOLS = 250_000
BATCHES = 50
UPDATES = 1000  # of an epoch
MB = 1 << 20


def write_text(prefix: Path, pairs: int) -> None:
    """Sentences of 9 to 39 tokens, all of them <s> in a sparse file; of any number in the same memory."""
    dtype, block = np.dtype("<u4"), 1 << 20
    with open(f"{prefix}.idx", "wb") as index:
        index.write(HEADER.pack(MAGIC, 1, CODES[dtype], pairs))
        rng, total = np.random.default_rng(pairs), 0
        sizes = rng.integers(9, 40, block).astype("<i4")  # the same again and again
        for start in range(0, pairs, block):
            index.write(sizes[: pairs - start].tobytes())
        for start in range(0, pairs, block):
            here = sizes[: pairs - start].astype("<i8")
            index.write(((total + np.cumsum(here) - here) * dtype.itemsize).tobytes())
            total += int(here.sum())
    with open(f"{prefix}.bin", "wb") as data:
        data.truncate(total * dtype.itemsize)


def write_folder(folder: Path, pairs: int) -> None:
    """A data-bin of one language pair, both sides of which are the same files."""
    folder.mkdir(parents=True)
    Dictionary(f"▁symbol{i}" for i in range(SYMBOLS)).save(folder / "dict.txt")
    (folder / "sentencepiece.bpe.model").write_bytes(bytes(5 * MB))
    write_text(folder / "train.en-de.en", pairs)
    for kind in ("bin", "idx"):
        os.link(folder / f"train.en-de.en.{kind}", folder / f"train.en-de.de.{kind}")
    digest = Dictionary.load(folder / "dict.txt").digest
    write_json(folder / "manifest.json", {"tokenizer": {"digest": digest}, "files": hashes(folder)})


def link_folder(first: Path, folder: Path) -> None:
    """The same data-bin under another name."""
    folder.mkdir()
    for path in first.iterdir():
        if path.name == "manifest.json":
            shutil.copy(path, folder)
        else:
            os.link(path, folder / path.name)


def memory_mb(process: int) -> float:
    """What a process has beside pages of files."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Pss_Anon:")).split()[1]) / 1024


def child(paths: str) -> None:
    """Open, read, and print what it took."""
    import multiprocessing

    from xalign_fairseq.data.pretraining import PretrainingData, PretrainingDataOptions, Reader
    from xalign_fairseq.training.batches import Batches

    begin, cpu = time.perf_counter(), time.process_time()
    data = PretrainingData(paths, PretrainingDataOptions(epoch_updates=UPDATES, sampling_temperature=2.0))
    opened, opened_cpu = time.perf_counter() - begin, time.process_time() - cpu
    batches = iter(Batches(data, Reader({"bitext"}), max_tokens=4096, num_workers=1))
    next(batches)
    first = time.perf_counter() - begin
    for _ in range(BATCHES):
        next(batches)
    processes = [os.getpid(), *(each.pid for each in multiprocessing.active_children())]
    shares = [memory_mb(each) for each in processes]
    print(json.dumps({
        "open_seconds": opened, "open_cpu_seconds": opened_cpu, "first_batch_seconds": first,
        "both_mb": sum(shares), "worker_mb": shares[-1],
    }))  # fmt: skip


def measure(folders: list[Path], pairs: int) -> dict[str, Any]:
    """One process."""
    command = [sys.executable, __file__, "--child", os.pathsep.join(map(str, folders))]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return {"folders": len(folders), "pairs": pairs, **json.loads(done.stdout.splitlines()[-1])}


def rows(args: argparse.Namespace, work: Path) -> list[dict[str, Any]]:
    """All measurements."""
    made = [work / f"{i}" for i in range(max(args.folders))]
    write_folder(made[0], EACH)
    for folder in made[1:]:
        link_folder(made[0], folder)
    found = [measure(made[:number], number * EACH) for number in args.folders]
    for pairs in args.pairs:
        write_folder(work / "one", pairs)
        found.append(measure([work / "one"], pairs))
        shutil.rmtree(work / "one")
    return found


def report(record: dict[str, Any]) -> str:
    """The table."""
    columns = (
        "folders",
        "pairs",
        "opened, s",
        "(CPU s)",
        "first batch, s",
        "memory of both, MB",
        "of it the worker's, MB",
    )
    cells = [
        (
            f"{row['folders']:,}", f"{row['pairs']:,}", f"{row['open_seconds']:.2f}", f"{row['open_cpu_seconds']:.2f}",
            f"{row['first_batch_seconds']:.2f}", f"{row['both_mb']:.0f}", f"{row['worker_mb']:.0f}",
        )
        for row in record["rows"]
    ]  # fmt: skip
    return (
        f"{record['machine']}; commit {record['commit']}; `scripts/benchmark_opening.py`.\n\n{table(columns, cells)}\n"
    )


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folders", type=int, nargs="+", default=[1, 20, 200, 2000], help="of 500,000 pairs each")
    parser.add_argument("--pairs", type=int, nargs="*", default=[10**6, 10**7, 10**8], help="of one folder")
    parser.add_argument("--work", help="where 12 bytes a pair are made and removed again (default: the system's)")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.child)
        return
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        found = rows(args, Path(folder))
    record = {"commit": commit(HERE.parent / "setup.py"), "machine": processor("cpu"), "rows": found}
    write_json(args.out / "opening.json", record)
    with atomic_write(args.out / "opening.md") as stream:
        stream.write(report(record))
    print(report(record))


if __name__ == "__main__":
    main()
