"""Combine two directional link files into one.

Both files hold Pharaoh links, one line per sentence pair, with the source index first in both (as fast_align -r and
eflomal write them).

Example: xalign symmetrize --forward en-de.fwd --backward en-de.rev --method grow-diag-final-and --out en-de.align
"""

import argparse

from xalign_fairseq.errors import XalignError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``xalign symmetrize``."""
    parser.add_argument("--forward", required=True, metavar="FILE", help="links found from source to target")
    parser.add_argument("--backward", required=True, metavar="FILE", help="links found from target to source")
    parser.add_argument(
        "--method",
        default="grow-diag-final-and",
        choices=("grow-diag-final-and", "intersection", "union"),
        help="(default: %(default)s)",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="where the combined links go")


def run(args: argparse.Namespace) -> None:
    """Read both files, combine them line by line, write the result whole."""
    from xalign_fairseq.files import atomic_write
    from xalign_fairseq.links.pharaoh import format_links, read_links
    from xalign_fairseq.links.symmetrize import symmetrize

    forward, backward = read_links(args.forward), read_links(args.backward)
    if len(forward) != len(backward):
        raise XalignError(
            "the two directions differ in number of lines",
            where=f"{args.forward}, {args.backward}",
            found=f"{len(forward)} and {len(backward)} lines",
            expected="one line each per sentence pair",
        )
    with atomic_write(args.out) as out:
        for pair in zip(forward, backward, strict=True):
            out.write(format_links(symmetrize(*pair, method=args.method)) + "\n")
