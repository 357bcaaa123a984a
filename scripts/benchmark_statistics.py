#!/usr/bin/env python3
"""AER of e5-small combined with statistics of the text that it aligns.

usage: benchmark_statistics.py TEXT PAIR [PAIR ...] [--limit N] [--seed N] [--method NAME] [--work DIR] [--out DIR]

TEXT is a folder of examples/from_scratch/text.py. The statistics are learned from the sentences of the development and
test sets and from --limit other pairs, drawn with --seed. --method is the method of the encoder's links, which guide
the statistics and are joined with them. Links stay in --work, so that an interrupted run resumes. Writes
OUT/statistics-METHOD.json and the table OUT/statistics-METHOD.md.
"""

import sys

from benchmark_from_scratch import parser_of, read_text
from harness import about, table, write

from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.run import AlignRun, align_files
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.pharaoh import read_links
from xalign_fairseq.transport.linking import Linking


def main() -> None:
    """Learn from each text, align it, and score its sets."""
    parser = parser_of(__doc__, 10_000, "statistics-work")
    parser.add_argument("--method", default="scored")
    args = parser.parse_args()
    rows: list[list[str]] = []
    found: dict[str, dict[str, float]] = {}
    for pair in args.pairs:
        work = args.work / f"{pair}-{args.limit}-{args.seed}"
        src, tgt, sets = read_text(args.text, pair, args.limit, args.seed, work)
        out = work / f"{args.method}.links"
        if not out.is_file():
            options = AlignerOptions(linking=Linking(args.method), device="cpu", dtype="float32")
            align_files(AlignRun((str(src), str(tgt)), "e5-small", options, learns=True, out=str(out), quiet=True))
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
