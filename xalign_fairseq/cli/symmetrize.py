"""Combine the links of two directions into one file.

Both files hold Pharaoh links, one line per sentence pair, with the source index first in both (as eflomal and
fast_align -r write them).

Example:
  xalign symmetrize --forward en-de.fwd --backward en-de.rev --symmetrize grow-diag-final-and --out en-de.align
"""

import argparse

from xalign_fairseq.cli._arguments import add_out
from xalign_fairseq.links.symmetrize import SYMMETRISATIONS, symmetrize


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--forward", required=True, metavar="FILE", help="links found from source to target")
    parser.add_argument("--backward", required=True, metavar="FILE", help="links found from target to source")
    how, usual = "how to combine both directions", next(iter(SYMMETRISATIONS))
    parser.add_argument("--symmetrize", default=usual, choices=SYMMETRISATIONS, help=how)
    add_out(parser, "the combined links; - is standard output")


def run(args: argparse.Namespace) -> None:
    """Read both files, combine them line by line, write the complete result."""
    from xalign_fairseq.core.output import Output
    from xalign_fairseq.core.text.lines import different_lengths
    from xalign_fairseq.links.pharaoh import format_links, read_links

    output = Output(args.out, None, False, (args.forward, args.backward), "pharaoh")
    forward, backward = read_links(args.forward), read_links(args.backward)
    if len(forward) != len(backward):
        raise different_lengths(args.forward, args.backward, (len(forward), len(backward)))
    with output.open() as out:
        for pair in zip(forward, backward, strict=True):
            out.write(format_links(symmetrize(*pair, method=args.symmetrize)) + "\n")
