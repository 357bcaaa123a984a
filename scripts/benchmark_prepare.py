#!/usr/bin/env python3
"""Measure xalign prepare and the commands of fairseq that do the same: sentencepiece, then fairseq-preprocess.

usage: benchmark_prepare.py --src FILE --tgt FILE --spm MODEL --dict DICT [--pairs 40000] [--rounds 3] [--out FOLDER]

Whole commands with start-up, one process and one thread each, in turn, with a ready tokenizer and dictionary: CPU
seconds, medians of --rounds. fairseq's way encodes both sides in one process and splits no text. prepare also checks
and hashes what it writes. Writes OUT/prepare.json and the table OUT/prepare.md.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median

from harness import RESULTS, about, in_turn, table, write

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.text.lines import read_lines

LANGUAGES = ("xx", "yy")
BIN = Path(sys.executable).parent
OURS, THEIRS = "xalign prepare", "sentencepiece, fairseq-preprocess"
ENCODE = """
import sys, sentencepiece
model = sentencepiece.SentencePieceProcessor(model_file=sys.argv[1])
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as lines, open(path.replace("text.", "pieces."), "w", encoding="utf-8") as out:
        out.writelines(" ".join(model.encode(line.rstrip("\\n"), out_type=str)) + "\\n" for line in lines)
"""


def run(*commands: Sequence[object]) -> None:
    """Run commands, one thread each, without their output."""
    for command in commands:
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        subprocess.run(list(map(str, command)), check=True, env=environment, stdout=subprocess.DEVNULL)


def ours(work: Path, spm: Path, dictionary: Path) -> None:
    """One command."""
    with tempfile.TemporaryDirectory(dir=work) as out:
        given = [f"--{name}={value}" for name, value in (("spm", spm), ("dict", dictionary), ("out", f"{out}/bin"))]
        run([BIN / "xalign", "prepare", "--pair", "-".join(LANGUAGES), "--trainpref", work / "text", *given])


def theirs(work: Path, spm: Path, dictionary: Path) -> None:
    """Encode both sides, then binarize."""
    with tempfile.TemporaryDirectory(dir=work) as out:
        sides = [work / f"text.{language}" for language in LANGUAGES]
        given = ["--source-lang", LANGUAGES[0], "--target-lang", LANGUAGES[1], "--srcdict", dictionary]
        given += ["--joined-dictionary", "--trainpref", work / "pieces", "--destdir", out, "--workers", 1]
        run([sys.executable, "-c", ENCODE, spm, *sides], [BIN / "fairseq-preprocess", *given])


def children_seconds() -> float:
    """CPU seconds of the processes that this one has started and seen end."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--src", type=Path, required=True, help="text, one sentence per line")
    parser.add_argument("--tgt", type=Path, required=True, help="its translation")
    parser.add_argument("--spm", type=Path, required=True, metavar="MODEL", help="sentencepiece model")
    parser.add_argument("--dict", type=Path, required=True, help="its dict.txt")
    parser.add_argument("--pairs", type=int, default=40000, help="first pairs of the text")
    parser.add_argument("--rounds", type=int, default=3, help="of both")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        work, pairs = Path(folder), 0
        for path, language in zip((args.src, args.tgt), LANGUAGES, strict=True):
            lines = list(islice(read_lines(path), args.pairs))
            with atomic_write(work / f"text.{language}") as out:
                out.writelines(f"{line}\n" for line in lines)
            pairs = len(lines)
        calls = {name: partial(call, work, args.spm, args.dict) for name, call in ((OURS, ours), (THEIRS, theirs))}
        found = in_turn(calls, args.rounds, clock=children_seconds, warm_up=0)
    made = about([Path(sys.argv[0]).name, *(arguments or sys.argv[1:])], packages=("fairseq-fixed", "sentencepiece"))
    rows = [(name, f"{median(each):.2f}", f"{pairs / median(each):,.0f}") for name, each in found.items()]
    text = table(("program", f"CPU s of {pairs:,} pairs", "pairs per CPU-second"), rows) + (
        f"\n\nWhole commands with start-up; medians of {args.rounds} rounds in turn, one thread of {made['machine']}. "
        f"Commit {made['commit']}\n"
    )
    write(args.out, "prepare", {**made, "pairs": pairs, "rounds": args.rounds, "cpu_seconds": found}, text)


if __name__ == "__main__":
    sys.exit(exit_code(main))
