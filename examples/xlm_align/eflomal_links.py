#!/usr/bin/env python3
"""Directional word links of a bitext by eflomal: OUT.fwd and OUT.rev, Pharaoh lines with the source index first.

usage: eflomal_links.py SRC TGT OUT
"""

import sys

import eflomal


def main(src: str, tgt: str, out: str) -> None:
    with open(src, encoding="utf-8") as source, open(tgt, encoding="utf-8") as target:
        eflomal.Aligner().align(
            source, target, links_filename_fwd=f"{out}.fwd", links_filename_rev=f"{out}.rev", quiet=True
        )


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
