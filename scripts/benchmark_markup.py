#!/usr/bin/env python3
"""Measure how far from its place a tag lands on the translation, in words, on test sets with gold links.

usage: benchmark_markup.py GOLD... [--pairs 300] [--seed 1] [--out FOLDER]

On each sentence pair a random run of one to five source words is put between tags; gold links say where the tags
belong. Only runs count whose target words are contiguous, so that there is one right place. The links are e5-small's.
Compared, with the same links, with SIL's way to place markers (our code, from that of machine.py) and with all target
words that have a link to the run; and with the relative position.

Writes FOLDER/markup.json and the table FOLDER/markup.md (default: scripts/results).
"""

import argparse
import random
import re
import sys
from pathlib import Path

import harness
import markers

from xalign_fairseq import load_aligner
from xalign_fairseq.aligner.gold_sets import GoldSet, find_sets
from xalign_fairseq.core.errors import exit_code
from xalign_fairseq.core.text.segmented import from_words
from xalign_fairseq.projection.markup.inline import HTML, read_inline
from xalign_fairseq.projection.markup.placement import place

WAYS = {
    "gold": "xalign, gold links",
    "links": "xalign",
    "sil": "SIL's markers",
    "hull": "all linked words",
    "position": "relative position",
}


def runs(one: GoldSet, pairs: int, seed: int) -> list[tuple[int, range, range]]:
    """Pairs by number, with a run of source words and the run of target words that gold links give it."""
    rng = random.Random(seed)
    found: list[tuple[int, range, range]] = []
    for number, ((src, _), gold) in enumerate(zip(one.pairs, one.golds, strict=True)):
        if len(found) == pairs:
            break
        length = rng.randint(1, min(5, len(src)))
        start = rng.randint(0, len(src) - length)
        run = range(start, start + length)
        inside = {j for i, j in gold.sure if i in run}
        outside = {j for i, j in gold.possible if i not in run}
        if inside and length < len(src):
            target = range(min(inside), max(inside) + 1)
            if not outside & set(target):
                found.append((number, run, target))
    return found


def placed(src: list[str], tgt: list[str], run: range, links: dict[tuple[int, int], float]) -> range:
    """The target words between the tags."""
    words = [re.sub(r"[<>&]", "_", word) for word in src]
    marked = [f"<b>{word}" if i == run[0] else word for i, word in enumerate(words)]
    marked[run[-1]] += "</b>"
    plain = from_words([re.sub(r"[<>&]", "_", word) for word in tgt])
    read = read_inline(" ".join(marked), HTML)
    text, _ = place(read, from_words(words), plain, links)
    before, _, rest = text.partition("<b>")
    inner = rest.partition("</b>")[0]
    start = before.count(" ")
    return range(start, start + inner.count(" ") + bool(inner))


def marker(src: list[str], tgt: list[str], cut: int, links: set[tuple[int, int]]) -> int:
    """Before which target word SIL puts a marker that is before source word ``cut``.

    Punctuation next to the marker that is linked to punctuation decides. Otherwise, of the first target words linked to
    the next three source words with links, the one whose cut the fewest links cross.
    """
    for word, after in ((cut - 1, 1), (cut, 0)):
        if 0 <= word < len(src) and not any(map(str.isalpha, src[word])):
            marks = sorted(j for i, j in links if i == word and not any(map(str.isalpha, tgt[j])))
            if marks:
                return marks[-after] + after
    best = (len(src) * len(tgt) + 1, len(tgt))
    for first in range(cut, min(cut + 3, len(src))):
        linked = next((i for i in range(first, len(src)) if any(i == link[0] for link in links)), None)
        if linked is not None:
            at = min(j for i, j in links if i == linked)
            crossing = sum((i < cut) != (j < at) for i, j in links)
            best = min(best, (crossing, at), key=lambda found: found[0])
    return best[1]


def measure(one: GoldSet, pairs: int, seed: int) -> dict[str, dict[str, float]]:
    """Of each way: the mean distance of a tag in words, and the share of pairs of tags that are both right."""
    chosen = runs(one, pairs, seed)
    texts = [tuple(list(side) for side in one.pairs[number]) for number, _, _ in chosen]
    alignments = load_aligner("e5-small").align([src for src, _ in texts], [tgt for _, tgt in texts])
    errors: dict[str, list[int]] = {way: [] for way in WAYS}
    for (number, run, right), (src, tgt), alignment in zip(chosen, texts, alignments, strict=True):
        linked = [j for i, j in alignment.links if i in run]
        at = [round(edge * len(tgt) / len(src)) for edge in (run[0], run[-1] + 1)]
        found = {
            "gold": placed(src, tgt, run, dict.fromkeys(one.golds[number].sure, 1.0)),
            "links": placed(src, tgt, run, alignment.links),
            "sil": range(*sorted(marker(src, tgt, cut, set(alignment.links)) for cut in (run[0], run[-1] + 1))),
            "hull": range(min(linked), max(linked) + 1) if linked else range(*at),
            "position": range(*at),
        }
        for way, words in found.items():
            errors[way].append(abs(words.start - right.start) + abs(words.stop - right.stop))
    return {
        way: {"distance": sum(each) / len(each) / 2, "exact": each.count(0) / len(each), "pairs": len(each)}
        for way, each in errors.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="+", metavar="GOLD", help="folders with test sets")
    parser.add_argument("--pairs", type=int, default=300, help="most pairs of a test set (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    args = parser.parse_args()
    sets = {f"{Path(folder).name}/{one.name}": one for folder in args.gold for one in find_sets(folder)}
    results = {name: measure(one, args.pairs, args.seed) for name, one in sets.items()}
    rows = []
    for name, found in results.items():
        cells = (f"{found[way]['distance']:.2f} ({found[way]['exact']:.0%})" for way in WAYS)
        rows.append((name, f"{found['links']['pairs']}", *cells))
    result = harness.about(
        [*sys.argv[:1], *(Path(folder).name for folder in args.gold)], seed=args.seed, results=results
    )
    harness.write(args.out, "markup", result, markers.table(("test set", "pairs", *WAYS.values()), rows))
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
