#!/usr/bin/env python3
"""Lay out the released test sets from 0_download.sh for xalign bench.

usage: lay_out.py TEST_SETS GOLD

TEST_SETS/PAIR/{test.SRC,test.TGT,alignv2.txt} of the four pairs of Table 2 become GOLD/PAIR.{SRC,TGT,gold}. alignv2.txt
has one link per line, "sentence i j S|P": sentences have the numbers of the original sets, with gaps, and words count
from 1. Links beyond their sentence (one each in de-en and en-hi) are dropped and reported. Existing sets are kept.
"""

import argparse
import sys
from pathlib import Path

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.links.pharaoh import Gold, Link, format_links

PAIRS = ("de-en", "en-fr", "en-hi", "ro-en")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test_sets", type=Path)
    parser.add_argument("gold", type=Path)
    args = parser.parse_args()
    for pair in PAIRS:
        if not (args.gold / f"{pair}.gold").exists():
            lay_out(args.test_sets / pair, args.gold, pair)


def lay_out(folder: Path, gold: Path, pair: str) -> None:
    """Write one set, its links last."""
    sides = pair.split("-")
    for name in (*(f"test.{side}" for side in sides), "alignv2.txt"):
        if not (folder / name).is_file():
            raise XalignError("a test set lacks a file", where=folder, expected=name)
    texts = [[line.split() for line in read_lines(folder / f"test.{side}")] for side in sides]
    links = read_links(folder / "alignv2.txt")
    lengths = [len(text) for text in texts]
    if {len(links)} != set(lengths):
        raise XalignError(
            "text and links of a test set differ in length",
            where=folder,
            found=f"{len(links)} sentences with links",
            expected=lengths,
        )
    for side, text in zip(sides, texts, strict=True):
        with atomic_write(gold / f"{pair}.{side}") as out:
            out.writelines(" ".join(words) + "\n" for words in text)
    beyond = 0
    with atomic_write(gold / f"{pair}.gold") as out:
        for found, src, tgt in zip(links.values(), *texts, strict=True):
            inside = {(i, j) for i, j in found.possible if i < len(src) and j < len(tgt)}
            beyond += len(found.possible) - len(inside)
            out.write(format_links(found.sure & inside, inside) + "\n")
    print(
        f"{gold}/{pair}: {counted(len(links), 'sentence')}, dropped beyond them: {counted(beyond, 'link')}",
        file=sys.stderr,
    )


def read_links(path: Path) -> dict[str, Gold]:
    """Links of each sentence, in the order of the file, by words from 0; word 0 of the file is none and gives no link.

    Unlike in :func:`~xalign_fairseq.links.gold.read_gold`, sentence numbers have gaps.
    """
    links: dict[str, tuple[set[Link], set[Link]]] = {}
    for row, line in enumerate(read_lines(path), 1):
        match line.split():
            case []:
                continue
            case [sentence, i, j, *kind] if kind in ([], ["S"], ["P"]) and i.isdigit() and j.isdigit():
                mine = links.setdefault(sentence, (set(), set()))
                if int(i) and int(j):
                    mine[kind == ["P"]].add((int(i) - 1, int(j) - 1))
            case _:
                raise XalignError("not a link", where=f"{path}, line {row}", found=line, expected="sentence i j S|P")
    return {sentence: Gold(frozenset(sure), frozenset(possible)) for sentence, (sure, possible) in links.items()}


if __name__ == "__main__":
    sys.exit(exit_code(main))
