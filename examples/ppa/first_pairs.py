#!/usr/bin/env python3
"""Keep the first pairs of a text that PPA trains on: 10 or more tokens per side, at most 128 together (section 3.1).

usage: first_pairs.py FOLDER SRC TGT PAIRS (--tokenizer MODEL | --spm MODEL --dict DICT | --vocab-size N)

Reads FOLDER/train.{SRC,TGT} and writes FOLDER/first-PAIRS.{SRC,TGT}. As in training, 128 includes the three special
tokens of a pair. With --vocab-size there is no tokenizer yet, and no pair is left out.
"""

import argparse
import sys
from itertools import islice
from pathlib import Path

from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.text.pairs import SentencePairs
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.data.tokenizers.tokenizer_model import make_tokenizer

LEAST, MOST, SPECIAL = 10, 128, 3
AT_ONCE = 1000


def open_tokenizer(args: argparse.Namespace) -> Tokenizer | None:
    if args.tokenizer:
        from xalign_fairseq.encoder.pretrained.reading import find_pretrained, read_tokenizer

        return read_tokenizer(find_pretrained(args.tokenizer))
    return make_tokenizer(args.spm, Dictionary.load(args.dict)) if args.spm else None


def fits(tokenizer: Tokenizer | None, pairs: list[tuple[str, str]]) -> list[bool]:
    """Whether each pair is neither too short nor too long."""
    if tokenizer is None:
        return [True] * len(pairs)
    (_, src), (_, tgt) = (tokenizer.encode_batch(list(side)) for side in zip(*pairs, strict=True))
    return ((src >= LEAST) & (tgt >= LEAST) & (src + tgt + SPECIAL <= MOST)).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("languages", nargs=2)
    parser.add_argument("pairs", type=int)
    parser.add_argument("--tokenizer")
    parser.add_argument("--spm", type=Path)
    parser.add_argument("--dict", type=Path)
    parser.add_argument("--vocab-size")
    args = parser.parse_args()
    tokenizer = open_tokenizer(args)
    names = [args.folder / f"train.{lang}" for lang in args.languages]
    text = iter(SentencePairs(*names, (str, str)))  # whole lines; both sides are checked first
    read = kept = 0
    with (
        atomic_write(args.folder / f"first-{args.pairs}.{args.languages[0]}") as src,
        atomic_write(args.folder / f"first-{args.pairs}.{args.languages[1]}") as tgt,
    ):
        while kept < args.pairs and (chunk := list(islice(text, AT_ONCE))):
            for pair, fit in zip(chunk, fits(tokenizer, chunk), strict=True):
                read += 1
                if fit and kept < args.pairs:
                    kept += 1
                    for stream, line in zip((src, tgt), pair, strict=True):
                        stream.write(f"{line}\n")
    print(f"{args.folder}: {kept:,} pairs of the first {read:,}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(exit_code(main))
