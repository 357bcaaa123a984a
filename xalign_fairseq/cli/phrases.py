"""Extract the phrase pairs that are consistent with word links.

A phrase pair is a run of words on each side, with at least one link between them and no link to other words (Och and
Ney, 2004); words without links may be at its edges. Writes one line per occurrence: source phrase, target phrase and
the links within it (TSV). --counts writes each different phrase pair once, in the columns of `xalign dictionary`:
source, target, count, p(t|s), p(s|t), significance. Memory does not grow with the text: large counts go to files next
to the output.

Examples:
  xalign phrases --src train.en --tgt train.de --links train.links --out phrases.tsv
  xalign phrases --src train.en --tgt train.de --links train.links --counts --min-count 2 --out phrases.tsv
"""

import argparse
import sys

from xalign_fairseq.cli._arguments import add_count, add_linked_text, add_out
from xalign_fairseq.core.output import STANDARD_OUTPUT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_linked_text(parser)
    add_out(parser, "the phrase pairs; - is standard output", default=STANDARD_OUTPUT)
    add_count(parser, "--max-length", "maximum number of words on a side", default=7)
    parser.add_argument(
        "--counts", action="store_true", help="write each different pair once, with count and probabilities"
    )
    add_count(parser, "--min-count", "minimum number of occurrences with --counts", default=1)


def run(args: argparse.Namespace) -> None:
    """Check that the files match, extract line by line, and print counts on stderr."""
    from xalign_fairseq.links.linked_text import LinkedText
    from xalign_fairseq.links.phrases import write_phrases

    text = LinkedText(args.src, args.tgt, args.links, args.segment)
    done = write_phrases(text, args.out, args.max_length, args.counts, args.min_count)
    if not args.quiet:
        print(done, file=sys.stderr)
