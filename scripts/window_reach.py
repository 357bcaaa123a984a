#!/usr/bin/env python3
"""Measure how often layers of near tokens, as ModernBERT's, see both ends of a link in one sequence.

usage: window_reach.py SRC TGT GOLD [--tokenizer e5-small] [--window 64]

A pair is read as '<s> src </s> tgt </s>', so that the partner of a word is about a sentence away. Two of three layers
of ModernBERT and mmBERT see 64 tokens to each side: where a partner is further, the layers between alone bring the two
together. Prints the share of gold links whose first tokens are further apart than the window, over all pairs and over
the longest tenth, the share of pairs that have such a link, and the median distance. Separate encoding is not touched.
"""

import argparse

import numpy as np

from xalign_fairseq.aligner.sentence_pairs import SentencePairs
from xalign_fairseq.data.tokenizer import Tokenizer
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.pretrained.reading import read_tokenizer


def link_distances(tokenizer: Tokenizer, src: list[str], tgt: list[str], links: set[tuple[int, int]]) -> np.ndarray:
    """(K,) places between the first tokens of linked words in the joint sequence; words without tokens have none."""
    (_, first), (_, second) = (tokenizer.encode_words(words) for words in (src, tgt))
    starts = [
        {word: place for place, word in reversed(list(enumerate(index, offset)))}
        for index, offset in ((first, 1), (second, len(first) + 2))
    ]
    ends = [(starts[0].get(i), starts[1].get(j)) for i, j in links]
    return np.array([b - a for a, b in ends if a is not None and b is not None], dtype=np.int64)


def reach(distances: list[np.ndarray], window: int) -> dict[str, float]:
    """Shares and the median over all pairs' distances."""
    longest = sorted(distances, key=lambda each: each.max(initial=0))[-max(1, len(distances) // 10) :]
    beyond = [each > window for each in distances]
    return {
        "links beyond": float(np.concatenate(beyond).mean()),
        "links beyond, longest tenth": float((np.concatenate(longest) > window).mean()),
        "pairs with one": float(np.mean([each.any() for each in beyond])),
        "median distance": float(np.median(np.concatenate(distances))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("src", "tgt", "gold"):
        parser.add_argument(name, metavar=name.upper())
    parser.add_argument("--tokenizer", default="e5-small", help="a model whose tokenizer is taken")
    parser.add_argument("--window", type=int, default=64, help="tokens that a layer sees to each side")
    args = parser.parse_args()
    tokenizer = read_tokenizer(args.tokenizer)
    pairs = SentencePairs(args.src, args.tgt)
    golds = read_gold(args.gold, pairs=len(pairs))
    distances = [
        link_distances(tokenizer, src, tgt, set(gold.possible)) for (src, tgt), gold in zip(pairs, golds, strict=True)
    ]
    for name, value in reach(distances, args.window).items():
        print(f"{name}\t{value:.1f}" if name.startswith("median") else f"{name}\t{100 * value:.1f} %")


if __name__ == "__main__":
    main()
