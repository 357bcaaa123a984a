"""Write a sample bitext with exact gold word links.

A synchronous grammar generates English with German and French. Writes tokenised text and links to
DIR/en-de/{train,valid,test}.{en,de,gold}, and the same for en-fr. Links are 0-based i-j, where i is the English word.
DIR/mono/{train,valid}.{en,de,fr} has other, monolingual sentences. The same options write the same bytes. No sentence
is in two splits.

Example:
  xalign sample --out sample --pairs 20000 --seed 1
"""

import argparse

from xalign_fairseq.cli._arguments import add_out
from xalign_fairseq.core.counts import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_out(parser, "the new folder", metavar="DIR")
    parser.add_argument("--pairs", type=int, required=True, metavar="N", help="training pairs of each language pair")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="default: 1")
    parser.add_argument(
        "--valid", type=int, default=500, metavar="N", help="validation pairs of each language pair (default: 500)"
    )
    parser.add_argument(
        "--test", type=int, default=500, metavar="N", help="test pairs of each language pair (default: 500)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace DIR if it exists")


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.languages.sample.bitext import write_sample

    for pair in write_sample(args.out, args.pairs, args.seed, args.valid, args.test, args.overwrite):
        mean = f"{pair.src_words / pair.pairs:.1f} and {pair.tgt_words / pair.pairs:.1f} words per sentence"
        pairs = f"{args.out}/{pair.pair}: {counted(pair.pairs, 'pair')}"
        print(f"{pairs}, {mean}, {pair.links / pair.pairs:.1f} links per pair")
