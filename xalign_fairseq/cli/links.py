"""Link the words of training text by eflomal or fast_align, for xalign prepare.

Reads tokenised text (words separated by spaces) and writes one line of 0-based links "i-j" per pair, for xalign prepare
--links. OUT.json records what made the links and how many each step kept. The tool runs in both directions, which are
then symmetrised. eflomal is random: two runs differ in a few links. For links of an encoder use xalign align.

Filters always run in this order (Wu & Dredze, 2020). identical drops links between equal words (case-sensitive).
one-to-one drops links whose words have another link. empty drops pairs without a link; it also writes the remaining
texts, OUT.SRC and OUT.TGT with OUT.links.

Examples:
  xalign links --src train.en --tgt train.de --out train.links
  xalign links --src all.en --tgt all.de --out train --engine fast_align --filters wu-dredze
"""

import argparse
import sys
from typing import Any

from xalign_fairseq.aligner.link_files import FILTERS, WU_DREDZE
from xalign_fairseq.aligner.tools import TOOLS
from xalign_fairseq.cli._arguments import add_out, add_text
from xalign_fairseq.links.symmetrize import SYMMETRISATIONS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_text(parser)
    add_out(parser, "file of links; with --filters empty, a prefix")
    parser.add_argument("--engine", choices=("auto", *TOOLS), default="auto", help="default: the first installed")
    how, usual = "how to combine both directions", next(iter(SYMMETRISATIONS))
    parser.add_argument("--symmetrize", default=usual, choices=SYMMETRISATIONS, help=how)
    parser.add_argument(
        "--directions", default="", metavar="PREFIX", help="also write PREFIX.fwd and PREFIX.rev, unfiltered"
    )
    parser.add_argument(
        "--filters", nargs="+", choices=(*FILTERS, WU_DREDZE), default=[], help="wu-dredze: all three (default: none)"
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace existing outputs when the new ones are complete"
    )


def run(args: argparse.Namespace) -> None:
    """Check, align, filter, write, and print what was done on stderr."""
    from xalign_fairseq.aligner.link_files import LinksRun, link_files

    files = (args.src, args.tgt, args.out)
    manifest, file = link_files(
        LinksRun(*files, args.engine, args.symmetrize, args.directions, tuple(args.filters), args.overwrite, args.quiet)
    )
    if not args.quiet:
        print("\n".join([*summary(manifest), f"all counts in {file}"]), file=sys.stderr)


def summary(manifest: dict[str, Any]) -> list[str]:
    """One line about links, one about pairs, and a warning about pairs that were too long."""
    links, pairs = manifest["counts"]["links"], manifest["counts"]["pairs"]
    lines = [
        f"links: {links['forward']} forward, {links['backward']} backward, {links['found']} found, "
        f"{links['identical']} of identical words dropped, "
        f"{links['not_one_to_one']} not one-to-one dropped, {links['kept']} kept",
        f"pairs: {pairs['read']} read, {pairs['blank']} with an empty side, {pairs['without_link']} without a link, "
        f"{pairs['dropped']} dropped, {pairs['written']} written",
    ]
    if pairs["too_long"]:
        lines.append(f"warning: {pairs['too_long']} pairs are too long for the aligner and were left without links")
    return lines
