#!/usr/bin/env python3
"""Measure how many pairs xalign prepare takes in a CPU second, with a ready tokenizer.

usage: benchmark_prepare.py --text SRC TGT --spm MODEL --dict DICT [--pairs 60000] [--rounds 3] [--out FOLDER]

The whole command in one process, files checked, hashed and written: CPU seconds (time.process_time, least of rounds)
without links and with links (i-i for every word i). Writes OUT/prepare.json and the table OUT/prepare.md.
"""

import argparse
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

from benchmark_aligner import processor
from markers import table

from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.data.prepare.prepare import prepare
from xalign_fairseq.data.prepare.sources import PairSource, PrepareOptions
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
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


def seconds(work: Path, links: bool, **options: Any) -> float:
    """CPU seconds of one command."""
    paths = [str(work / f"text.{lang}") for lang in LANGUAGES]
    pair = PairSource("train", *LANGUAGES, *paths, str(work / "text.links") if links else None)
    begin = time.process_time()
    prepare(PrepareOptions(work / "data-bin", [pair], overwrite=True, progress=False, **options))
    return time.process_time() - begin


def main(arguments: list[str] | None = None) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", nargs=2, required=True, metavar=("SRC", "TGT"), help="bitext, one sentence a line")
    parser.add_argument("--spm", required=True, metavar="MODEL", help="sentencepiece model")
    parser.add_argument("--dict", required=True, metavar="DICT", help="its dict.txt")
    parser.add_argument("--pairs", type=int, default=60000, metavar="N", help="first pairs of the text")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of which the least seconds count")
    parser.add_argument("--out", type=Path, default=HERE / "results", metavar="FOLDER", help="where the results go")
    args = parser.parse_args(arguments)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        pairs = texts(args.text, args.pairs, work)
        for links in (False, True):
            took = min(seconds(work, links, spm=args.spm, dictionary=args.dict) for _ in range(args.rounds))
            rows.append({"links": links, "pairs": pairs, "cpu_seconds": took, "pairs_a_second": pairs / took})
    about = {"commit": commit(HERE.parent / "setup.py"), "machine": processor("cpu"), "rounds": args.rounds}
    args.out.mkdir(parents=True, exist_ok=True)
    write_json(args.out / "prepare.json", {**about, "rows": rows})
    cells = [
        [
            "with links" if row["links"] else "without links",
            f"{row['cpu_seconds']:.2f}",
            f"{row['pairs_a_second']:,.0f}",
        ]
        for row in rows
    ]
    with atomic_write(args.out / "prepare.md") as stream:
        stream.write(table(["text", f"CPU s of {pairs:,} pairs", "pairs a CPU second"], cells) + "\n")


if __name__ == "__main__":
    main()
