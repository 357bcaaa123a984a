#!/usr/bin/env python3
"""AER of e5-small with statistics of the text that it aligns.

usage: benchmark_statistics.py TEXT PAIR [PAIR ...] [--limit N] [--seed N] [--method NAME] [--work DIR] [--out DIR]

TEXT is a folder of examples/from_scratch/text.py. The statistics are learned from the sentences of the development and
test sets and from --limit other pairs, drawn with --seed. --method is the encoder's, by which scores statistics are
guided and joined with. Links stay in --work, so that an interrupted run continues. Writes
OUT/statistics-METHOD.json and the table OUT/statistics-METHOD.md.
"""

import argparse
import sys
from pathlib import Path

from benchmark_from_scratch import read_text
from harness import RESULTS, about, table, write

from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.run import AlignRun, align_files
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.pharaoh import read_links
from xalign_fairseq.transport.linking import Linking


def main() -> None:
    """Learn from each text, align it, and score the sets in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("pairs", nargs="+", metavar="PAIR")
    parser.add_argument("--limit", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--method", default="scored")
    parser.add_argument("--work", type=Path, default=Path("statistics-work"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    rows: list[list[str]] = []
    found: dict[str, dict[str, float]] = {}
    for pair in args.pairs:
        work = args.work / pair
        src, tgt, sets = read_text(args.text, pair, args.limit, args.seed, work)
        out = work / f"{args.method}.links"
        if not out.is_file():
            options = AlignerOptions(linking=Linking(args.method), device="cpu", dtype="float32")
            align_files(AlignRun((str(src), str(tgt)), "e5-small", options, "statistics", out=str(out), quiet=True))
        links = read_links(out)
        found[pair] = {name: 100 * score(links[begin:end], golds).aer for name, (begin, end, golds) in sets.items()}
        rows += [[pair, name, str(len(links)), f"{value:.1f}"] for name, value in found[pair].items()]
        print(pair, found[pair], file=sys.stderr, flush=True)
    tests = [each["test"] for each in found.values() if "test" in each]
    rows.append(["mean", "test", "", f"{sum(tests) / len(tests):.1f}" if tests else ""])
    command = [
        "benchmark_statistics.py",
        "TEXT",
        *args.pairs,
        "--limit",
        args.limit,
        "--seed",
        args.seed,
        "--method",
        args.method,
    ]
    columns = ("pair", "set", "pairs of text", "AER")
    write(args.out, f"statistics-{args.method}", {**about(command, seed=args.seed), "aer": found}, table(columns, rows))


if __name__ == "__main__":
    sys.exit(exit_code(main))
