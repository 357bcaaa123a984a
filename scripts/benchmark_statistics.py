#!/usr/bin/env python3
"""AER of e5-small with statistics of the text that it aligns, by both methods whose scores statistics can add to.

usage: benchmark_statistics.py GOLD [--out FOLDER] [--name NAME] [--work FOLDER]

GOLD is a folder of gold sets as xalign bench finds them. The statistics are learned from the sentences of each set
alone. Writes OUT/NAME.json and the table OUT/NAME.md.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from harness import RESULTS, about, table, write

from xalign_fairseq.aligner.gold_sets import GoldSet, find_sets
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.run import AlignRun, align_files
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.pharaoh import read_links
from xalign_fairseq.transport.linking import Linking

METHODS = ("grow", "scored")


def aer(folder: Path, each: GoldSet, method: str, learn: str, work: Path) -> float:
    """AER in percent of a set's links; what is learned goes to ``work``."""
    src, tgt = (str(folder / f"{each.name}.{language}") for language in each.languages)
    out = work / f"{each.name.replace('/', '.')}.{method}{learn}"
    options = AlignerOptions(linking=Linking(method), device="cpu", dtype="float32")
    align_files(AlignRun((src, tgt), "e5-small", options, learn, out=str(out), quiet=True))
    return 100 * score(read_links(out), each.golds).aer


def main() -> None:
    """Align every set in four ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--name", default="statistics-scored")
    parser.add_argument("--work", type=Path, help="where links go (default: a temporary folder)")
    args = parser.parse_args()
    ways = {
        f"{method}{' + statistics' * bool(learn)}": (method, learn)
        for learn in ("", "statistics")
        for method in METHODS
    }
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        work = args.work or Path(folder)
        for each in find_sets(args.gold):
            found[each.name] = {name: aer(args.gold, each, *way, work) for name, way in ways.items()}
            print(each.name, found[each.name], file=sys.stderr, flush=True)
    found["mean"] = {name: sum(row[name] for row in found.values()) / len(found) for name in ways}
    rows = [[name, *(f"{row[way]:.1f}" for way in ways)] for name, row in found.items()]
    command = f"benchmark_statistics.py {args.gold.name} --name {args.name}"
    write(args.out, args.name, {**about(command), "aer": found}, table(("set", *ways), rows))


if __name__ == "__main__":
    sys.exit(exit_code(main))
