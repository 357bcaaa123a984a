"""Extract the phrase pairs that word links allow.

A phrase pair is a run of words on each side, with a link between them and none that leads outside (Och and Ney, 2004);
words without links may stand at its edges. Writes one line per phrase pair and occurrence: source phrase, target
phrase and the links within it, with tabs between them. The files are read line by line, so they may have any size.

Example (the most frequent phrase pairs first):
  xalign phrases --src train.en --tgt train.de --links train.links | cut -f 1,2 | LC_ALL=C sort | uniq -c | sort -rn
"""

import argparse

from xalign_fairseq.cli._aligning import positive
from xalign_fairseq.cli._arguments import STANDARD_OUTPUT, add_out
from xalign_fairseq.core.errors import XalignError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign phrases``."""
    parser.add_argument("--src", required=True, metavar="FILE", help="source sentences, words separated by blanks")
    parser.add_argument("--tgt", required=True, metavar="FILE", help="target sentences")
    parser.add_argument(
        "--links", required=True, metavar="FILE", help="their links, 0-based; possible ones (ipj) count too"
    )
    add_out(parser, "the phrase pairs; - is standard output", default=STANDARD_OUTPUT)
    parser.add_argument(
        "--max-length", type=positive, default=7, metavar="N", help="most words on a side (default: %(default)s)"
    )


def run(args: argparse.Namespace) -> None:
    """Check that the files belong together, then extract line by line."""
    from xalign_fairseq.core.output import Output
    from xalign_fairseq.core.text.lines import read_lines
    from xalign_fairseq.core.text.pairs import SentencePairs
    from xalign_fairseq.links.pharaoh import check_bounds, parse_line
    from xalign_fairseq.links.phrases import phrase_lines

    pairs = SentencePairs(args.src, args.tgt)
    lines = sum(1 for _ in read_lines(args.links))
    if lines != len(pairs):
        raise XalignError(
            "links and sentence pairs differ in number",
            where=args.links,
            found=f"{lines} lines of links",
            expected=f"{len(pairs)}, one per sentence pair",
            remedy="give the links of this very text, with an empty line for a pair without links",
        )
    with Output(args.out, record=None, resume=False, inputs=(args.src, args.tgt, args.links)).open() as out:
        for number, ((src, tgt), line) in enumerate(zip(pairs, read_lines(args.links), strict=True), 1):
            links = parse_line(line, where=f"{args.links}, line {number}").possible
            check_bounds([links], [(len(src), len(tgt))], where=args.links, first=number)
            out.writelines(phrase_lines(src, tgt, links, args.max_length))
