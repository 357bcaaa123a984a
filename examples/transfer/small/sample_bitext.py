#!/usr/bin/env python3
"""Keep a random part of a bitext, in order.

usage: sample_bitext.py SRC TGT PAIRS [--seed S]     rewrites both files; does not change a smaller bitext
"""

import argparse
import random

from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.text.lines import read_lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("src")
    parser.add_argument("tgt")
    parser.add_argument("pairs", type=int, help="number of pairs to keep")
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice (default: %(default)s)")
    args = parser.parse_args()
    src, tgt = (list(read_lines(path)) for path in (args.src, args.tgt))
    if len(src) <= args.pairs:
        return
    kept = sorted(random.Random(args.seed).sample(range(len(src)), args.pairs))
    for path, lines in ((args.src, src), (args.tgt, tgt)):
        with atomic_write(path) as out:
            out.writelines(lines[i] + "\n" for i in kept)


if __name__ == "__main__":
    main()
