#!/usr/bin/env python3
"""Measure the aligner in float32, bfloat16 and int8: pairs a second, AER, and links' F1 against float32's.

usage: benchmark_dtypes.py --gold FOLDER [--model e5-small] [--test] [--rounds 3] [--isa ISA ...] [--out FOLDER]

One process with one thread loads the model in each dtype, as xalign align does, and aligns the development sets of
FOLDER (those of choose_defaults.py; --test: the test sets, for the record alone) in each; then rounds over the first of
them alternate between the dtypes, and their CPU seconds are counted. With --isa that is done once more in a process of
its own whose oneDNN takes the CPU for an older one, as AVX512_CORE_VNNI, which has no bfloat16. Writes OUT/dtypes.json
and the table OUT/dtypes.md.
"""

import argparse
import logging
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmark_aligner import processor
from choose_defaults import SETS, TEST_SETS, files
from markers import table

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
DTYPES = ("float32", "bfloat16", "int8")
TIMED = 2  # sets whose pairs the rounds align
COLUMNS = ("CPU", "dtype", "pairs per CPU-second", "times float32", "AER, mean of sets", "links' F1 against float32")

Pairs = list[tuple[str, str]]
Links = list[set[tuple[int, int]]]


def measure(model: str, gold: Path, stems: Sequence[str], rounds: int) -> list[dict[str, Any]]:
    """A row for each dtype."""
    import torch

    from xalign_fairseq.aligner.neural.aligner import Aligner
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs
    from xalign_fairseq.links.aer import score
    from xalign_fairseq.links.gold import read_gold

    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    named = [[str(gold / name) for name in files(stem)] for stem in stems]
    texts: list[Pairs] = [list(SentencePairs(src, tgt)) for src, tgt, _ in named]
    golds = [read_gold(path, pairs=len(text)) for (_, _, path), text in zip(named, texts, strict=True)]
    rows: dict[str, dict[str, Any]] = {}
    found: dict[str, list[Links]] = {}
    aligners = {dtype: Aligner.from_pretrained(model, device="cpu", dtype=dtype) for dtype in DTYPES}
    for dtype, aligner in aligners.items():
        found[dtype] = [[set(pair.links) for pair in aligner.stream(text)] for text in texts]
        scores = [score(links, gold) for links, gold in zip(found[dtype], golds, strict=True)]
        aer = {stem: round(each.aer, 5) for stem, each in zip(stems, scores, strict=True)}
        rows[dtype] = {"dtype": dtype, "aer": aer, "f1": f1(found["float32"], found[dtype])}
    timed = [pair for text in texts[:TIMED] for pair in text]
    seconds: dict[str, list[float]] = {dtype: [] for dtype in DTYPES}
    for _ in range(rounds):
        for dtype, aligner in aligners.items():
            start = time.process_time()
            for _ in aligner.stream(timed):
                pass
            seconds[dtype].append(time.process_time() - start)
    for dtype, row in rows.items():
        row["pairs_per_second"] = len(timed) / min(seconds[dtype])
    return list(rows.values())


def f1(true: Iterable[Links], found: Iterable[Links]) -> float:
    """Twice the links that both have over all links of both, of all sets together."""
    both = total = 0
    for one, other in zip(true, found, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            both, total = both + len(mine & theirs), total + len(mine) + len(theirs)
    return 2 * both / total


def in_process(isa: str, *args: Any) -> list[dict[str, Any]]:
    """:func:`measure` in a process of its own, whose oneDNN uses no newer instructions; all, if none are named."""
    os.environ.update({"OMP_NUM_THREADS": "1"} | ({"ONEDNN_MAX_CPU_ISA": isa} if isa else {}))
    try:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            return pool.submit(measure, *args).result()
    finally:
        os.environ.pop("ONEDNN_MAX_CPU_ISA", None)


def report(record: Mapping[str, Any]) -> str:
    """The table."""
    lines = []
    for cpu, rows in record["cpus"].items():
        speed = {row["dtype"]: row["pairs_per_second"] for row in rows}
        for row in rows:
            aer = sum(row["aer"].values()) / len(row["aer"])
            times = speed[row["dtype"]] / speed["float32"]
            figures = (f"{speed[row['dtype']]:.0f}", f"{times:.2f}", f"{100 * aer:.2f}", f"{row['f1']:.4f}")
            lines.append((cpu, row["dtype"], *figures))
    return (
        f"`{record['command']}`\n\n{record['model']}, {len(record['sets'])} sets, one thread of {record['processor']}; "
        f"commit {record['commit']}.\n\n{table(COLUMNS, lines)}\n"
    )


def run(args: argparse.Namespace) -> None:
    """Measure and write."""
    stems = [f"simalign-testsets/{pair}" for pair in TEST_SETS] if args.test else SETS
    cpus = {isa or "as it is": in_process(isa, args.model, args.gold, stems, args.rounds) for isa in ("", *args.isa)}
    record = {
        "command": "scripts/benchmark_dtypes.py --gold FOLDER" + " --test" * args.test,
        "model": args.model, "sets": list(stems), "rounds": args.rounds, "processor": processor("cpu"),
        "commit": commit(HERE / "benchmark_dtypes.py") or "unknown", "cpus": cpus,
    }  # fmt: skip
    stem = args.out / ("dtypes-test" if args.test else "dtypes")
    write_json(stem.with_suffix(".json"), record)
    with atomic_write(stem.with_suffix(".md")) as stream:
        stream.write(report(record))
    print(report(record))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--model", default="e5-small")
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--isa", nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=HERE / "results")
    run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(exit_code(main))
