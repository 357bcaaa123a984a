#!/usr/bin/env python3
"""Collect the English sides of the benchmark's bitexts as one tokenised text for pre-training.

usage: english_text.py BITEXT OUT [--words 3 60] [--seed 1]

Reads every BITEXT/*/*.en except test and development sets and tokenises it (Moses, cased). Writes each sentence once,
in random order. Skips sentences of the excluded sets and sentences with too few or too many words.
"""

import argparse
import random
from collections import Counter
from pathlib import Path

from sacremoses import MosesTokenizer

from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.text.lines import read_lines

LEFT_OUT = (
    "tatoeba-laser-test/*.en",
    "ud-pud/*.en",
    "multi30k/test_*.en",
    "mlqe-pe/*.dev.en",
    "mlqe-pe/*.test.en",
    "indian-parallel-corpora/*.test.en",
)


def normalised(sentence: str) -> str:
    """Only letters and digits: sets differ in case, spaces and quotes."""
    return "".join(character for character in sentence.lower() if character.isalnum())


def collect(bitext: Path, least: int, most: int, counts: Counter) -> list[str]:
    """Tokenised sentences in the order of the files, each once."""
    held_out = {path for pattern in LEFT_OUT for path in bitext.glob(pattern)}
    unseen = {normalised(line) for path in held_out for line in read_lines(path)}
    tokenize = MosesTokenizer("en").tokenize
    sentences: dict[str, None] = {}
    seen: set[str] = set()
    for path in sorted(set(bitext.glob("*/*.en")) - held_out):
        for line in read_lines(path):
            counts["lines"] += 1
            if line in seen:
                counts["repeated"] += 1
                continue
            seen.add(line)
            if normalised(line) in unseen:
                counts["of a left-out set"] += 1
                continue
            words = tokenize(line, escape=False, aggressive_dash_splits=True)
            if not least <= len(words) <= most:
                counts[f"not of {least} to {most} words"] += 1
                continue
            sentence = " ".join("-" if word == "@-@" else word for word in words)
            counts["repeated"] += sentence in sentences
            sentences[sentence] = None
    return list(sentences)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bitext", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--words", type=int, nargs=2, default=(3, 60), help="minimum and maximum (default: 3 60)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the order (default: %(default)s)")
    args = parser.parse_args()
    counts: Counter = Counter()
    sentences = collect(args.bitext, *args.words, counts)
    random.Random(args.seed).shuffle(sentences)
    with atomic_write(args.out) as out:
        out.writelines(sentence + "\n" for sentence in sentences)
    words = sum(len(sentence.split()) for sentence in sentences)
    print(f"{args.out}: {len(sentences)} sentences, {words} words; {dict(counts)}")


if __name__ == "__main__":
    main()
