#!/usr/bin/env python3
"""Measure how often layers of near tokens, as ModernBERT's, see both ends of a link in one sequence.

usage: window_reach.py PREFIX... [--tokenizer e5-small] [--window 64] [--out FOLDER]

PREFIX is FOLDER/de-en, beside it .de, .en and .gold. A pair is read as '<s> src </s> tgt </s>', so that the partner of
a word is about a sentence away. Two of three layers of ModernBERT and mmBERT see 64 tokens to each side: where a
partner is further, the layers between alone bring the two together. Measured are the share of gold links whose first
tokens are further apart than the window, over all pairs and over the longest tenth, the share of pairs that have such a
link, and the median distance. Separate encoding is not touched.
Writes OUT/window_reach.json and the table OUT/window_reach.md.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from markers import table

from xalign_fairseq.aligner.sentence_pairs import SentencePairs
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.encoder.pretrained.reading import read_tokenizer
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
SHARES = ("links beyond", "links beyond, longest tenth", "pairs with one")
MEDIAN = "median distance"


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
    shares = (
        np.concatenate(beyond).mean(),
        (np.concatenate(longest) > window).mean(),
        np.mean([each.any() for each in beyond]),
    )
    return dict(zip((*SHARES, MEDIAN), map(float, (*shares, np.median(np.concatenate(distances)))), strict=True))


def measure(prefix: Path, tokenizer: Tokenizer, window: int) -> dict[str, float]:
    """The shares of one gold set, possible links among them, and its number of pairs."""
    src, tgt = prefix.name.split("-")
    pairs = SentencePairs(f"{prefix}.{src}", f"{prefix}.{tgt}")
    golds = read_gold(f"{prefix}.gold", pairs=len(pairs))
    distances = [
        link_distances(tokenizer, src, tgt, set(gold.possible)) for (src, tgt), gold in zip(pairs, golds, strict=True)
    ]
    return {"pairs": len(pairs), **reach(distances, window)}


def report(record: Mapping[str, Any]) -> str:
    """The table."""
    rows = [
        (name, f"{found['pairs']:,}", *(f"{100 * found[share]:.1f} %" for share in SHARES), f"{found[MEDIAN]:.0f}")
        for name, found in record["sets"].items()
    ]
    return (
        f"Tokens of {record['tokenizer']}, {record['window']} to each side; commit {record['commit']}; "
        f"`{record['command']}`.\n\n{table(('gold set', 'pairs', *SHARES, MEDIAN), rows)}\n"
    )


def run(args: argparse.Namespace) -> None:
    """Measure and write."""
    tokenizer = read_tokenizer(args.tokenizer)
    record = {
        "command": "scripts/window_reach.py " + " ".join(prefix.name for prefix in args.prefixes),
        "commit": commit(HERE) or "unknown", "tokenizer": args.tokenizer, "window": args.window,
        "sets": {prefix.name: measure(prefix, tokenizer, args.window) for prefix in args.prefixes},
    }  # fmt: skip
    write_json(args.out / "window_reach.json", record)
    with atomic_write(args.out / "window_reach.md") as stream:
        stream.write(report(record))
    print(report(record))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefixes", nargs="+", type=Path, metavar="PREFIX")
    parser.add_argument("--tokenizer", default="e5-small", help="a model whose tokenizer is taken")
    parser.add_argument("--window", type=int, default=64, help="tokens that a layer sees to each side")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(exit_code(main))
