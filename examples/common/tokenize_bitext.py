#!/usr/bin/env python3
"""Tokenise and lower-case one side of a bitext as in the gold alignments.

usage: tokenize_bitext.py LANG [--tokenized] [--cased] [--strip-marks] < text > tokens

Moses tokenisation by sacremoses, no HTML escapes. --tokenized: the text is tokenised; only lower-case it.
--cased: keep the case.
--strip-marks: remove diacritics too (the Romanian gold set was written without them).
"""

import argparse
import sys
import unicodedata

from sacremoses import MosesTokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lang")
    parser.add_argument("--tokenized", action="store_true")
    parser.add_argument("--cased", action="store_true")
    parser.add_argument("--strip-marks", action="store_true")
    args = parser.parse_args()
    tokenize = MosesTokenizer(args.lang).tokenize
    for line in sys.stdin:
        line = line.rstrip("\n")
        if not args.cased:
            line = line.lower()
        if not args.tokenized:
            line = tokenize(line, return_str=True, escape=False, aggressive_dash_splits=True).replace(" @-@ ", " - ")
        if args.strip_marks:
            decomposed = unicodedata.normalize("NFD", line)
            line = unicodedata.normalize("NFC", "".join(c for c in decomposed if unicodedata.category(c) != "Mn"))
        print(" ".join(line.split()))


if __name__ == "__main__":
    main()
