#!/usr/bin/env python3
"""Measure how many pairs xalign prepare takes in a CPU second, with a ready tokenizer.

usage: benchmark_prepare.py --text SRC TGT --spm MODEL --dict DICT [--pairs 60000] [--rounds 3] [--out FOLDER]

The whole command in one process, files checked, hashed and written: CPU seconds (time.process_time, least of rounds)
without links and with links (i-i for every word i). Writes OUT/prepare.json and the table OUT/prepare.md.
"""

import argparse
import tempfile
import time
from functools import partial
from itertools import islice
from pathlib import Path

from harness import RESULTS, about, in_turn, table, write

from xalign_fairseq.data.prepare.prepare import prepare
from xalign_fairseq.data.prepare.sources import PairSource, PrepareOptions

LANGUAGES = ("xx", "yy")


def texts(paths: list[str], pairs: int, work: Path) -> int:
    """The first pairs and their links in a folder; how many there are."""
    sides = []
    for path, lang in zip(paths, LANGUAGES, strict=True):
        with open(path, encoding="utf-8", newline="\n") as stream:
            sides.append([line.removesuffix("\n") for line in islice(stream, pairs)])
        (work / f"text.{lang}").write_text("".join(f"{line}\n" for line in sides[-1]), encoding="utf-8")
    shorter = (min(len(side.split()) for side in pair) for pair in zip(*sides, strict=True))
    (work / "text.links").write_text("".join(" ".join(f"{i}-{i}" for i in range(n)) + "\n" for n in shorter))
    return len(sides[0])


def prepare_text(work: Path, links: bool, spm: str, dictionary: str) -> None:
    """The command."""
    paths = [str(work / f"text.{lang}") for lang in LANGUAGES]
    pair = PairSource("train", *LANGUAGES, *paths, str(work / "text.links") if links else None)
    out = work / "data-bin"
    prepare(PrepareOptions(out, [pair], overwrite=True, progress=False, spm=spm, dictionary=dictionary))


def main(arguments: list[str] | None = None) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", nargs=2, required=True, metavar=("SRC", "TGT"), help="bitext, one sentence a line")
    parser.add_argument("--spm", required=True, metavar="MODEL", help="sentencepiece model")
    parser.add_argument("--dict", required=True, metavar="DICT", help="its dict.txt")
    parser.add_argument("--pairs", type=int, default=60000, metavar="N", help="first pairs of the text")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of which the least seconds count")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FOLDER", help="where the results go")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        pairs = texts(args.text, args.pairs, work)
        calls = {
            name: partial(prepare_text, work, name == "with links", args.spm, args.dict)
            for name in ("without links", "with links")
        }
        found = in_turn(calls, args.rounds, time.process_time, warm_up=0)
    rows = [
        {"links": name == "with links", "pairs": pairs, "cpu_seconds": min(each), "pairs_a_second": pairs / min(each)}
        for name, each in found.items()
    ]
    cells = [
        (name, f"{row['cpu_seconds']:.2f}", f"{row['pairs_a_second']:,.0f}")
        for name, row in zip(found, rows, strict=True)
    ]
    text = table(("text", f"CPU s of {pairs:,} pairs", "pairs a CPU second"), cells) + "\n"
    command = f"benchmark_prepare.py --pairs {args.pairs} --rounds {args.rounds}"
    write(args.out, "prepare", {**about(command, rounds=args.rounds), "rows": rows}, text)


if __name__ == "__main__":
    main()
