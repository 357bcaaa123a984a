"""The pictures of ``xalign align``: one pair's link matrix, and the gold links that pictures show."""

import argparse
import os
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._aligning import read_fitting_gold
from xalign_fairseq.cli._output import STANDARD_OUTPUT
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import require_place

if TYPE_CHECKING:
    from xalign_fairseq.aligner.sentence_pairs import PairStream, SentencePairs
    from xalign_fairseq.links.pharaoh import Gold


MOST_WORDS = 300  # of a side that is drawn, whose names could not be read otherwise


def gold_to_show(args: argparse.Namespace, pairs: "SentencePairs | PairStream") -> "list[Gold] | None":
    """Gold links of all pairs, checked before the work begins; ``None`` without ``--gold``."""
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs

    if not args.gold:
        return None
    if not (args.plot or args.format == "html"):
        raise XalignError(
            "gold links are shown in pictures alone",
            parameter="gold",
            remedy="add --plot FILE.png or --format html; xalign score compares links with gold",
        )
    if args.units != "word":
        raise XalignError(
            "gold links join words", parameter=("gold", "units"), found=args.units, expected="--units word"
        )
    if not isinstance(pairs, SentencePairs):
        raise XalignError("gold links can't be checked against a pipe", parameter="gold", expected="files as input")
    return read_fitting_gold(args.gold, pairs)


def check_plot(args: argparse.Namespace, pairs: "SentencePairs | PairStream", inputs: Iterable[str]) -> None:
    """That the picture can be drawn, if one is asked for, and replaces no input, before the work begins."""
    if not args.plot:
        if args.plot_line is not None:
            raise XalignError("a line is drawn with --plot alone", parameter="plot_line", remedy="add --plot FILE.png")
        return
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs
    from xalign_fairseq.evaluation.plots.figure import check_picture

    check_picture(args.plot)
    require_place(args.plot, [*inputs, *([args.out] if args.out != STANDARD_OUTPUT else [])])
    if os.path.realpath(args.plot) == os.path.realpath(args.out):
        raise XalignError("the picture and the links have the same name", parameter=("plot", "out"), found=args.plot)
    if not isinstance(pairs, SentencePairs):
        raise XalignError("a pair of a pipe can't be drawn", parameter="plot", expected="files as input")
    if not 1 <= _line(args) <= len(pairs):
        raise XalignError(
            "there is no such pair", parameter="plot_line", found=args.plot_line, expected=f"1 to {len(pairs)}"
        )


def plot(args: argparse.Namespace, aligner: Any, pairs: Iterable[Any], golds: "list[Gold] | None") -> None:
    """Draw one pair before the others are aligned."""
    from xalign_fairseq.evaluation.plots.links import plot_links

    line = _line(args)
    gold = golds[line - 1] if golds else None
    [pair] = islice(pairs, line - 1, line)
    if max(map(len, pair)) > MOST_WORDS:
        raise XalignError("the pair is too long to be drawn", where=f"--plot-line {line}",
                          found=" and ".join(f"{len(side):,}" for side in pair) + " words",
                          expected=f"at most {MOST_WORDS}", remedy="choose another by --plot-line")  # fmt: skip
    [alignment] = aligner.stream([pair])
    plot_links(alignment.src, alignment.tgt, alignment.links, args.plot, gold=gold)


def _line(args: argparse.Namespace) -> int:
    """Of the pair that is drawn, from 1."""
    return 1 if args.plot_line is None else args.plot_line
