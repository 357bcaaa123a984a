"""Make dictionaries of linked text, and what Marian trains with.

The dictionary (--out) is a table of all pairs of words that have a link: source, target, number of links, p(t|s),
p(s|t) and significance, with tabs between them; the most frequent translation of a source comes first. Probabilities
are shares of links. Significance is Dunning's log-likelihood ratio of the pair, negative where it is rarer than chance;
chance exceeds 10.83 once in a thousand pairs.

--lex writes the tables of lexical probabilities that extract_lex of Moses and Marian writes for the same links, line
for line, in another order: "target source p(t|s)" in PREFIX.s2t, "source target p(s|t)" in PREFIX.t2s; a word without
a link counts as linked to NULL. --shortlist writes the lines of PREFIX.s2t that Marian's --shortlist FILE 100 100 can
use: without NULL, at most 100 for each source.

Marian reads raw text and cuts it by sentencepiece. With its model (--spm) everything is counted in these units, and
--guided writes the links of words as links of units, for --guided-alignment.

Memory does not grow with the text: half a million different pairs of words are counted in memory, about 120 MB, the
others in files next to the output.

Examples:
  xalign dictionary --src all.en --tgt all.de --links all.links --out en-de.tsv --min-count 2
  xalign dictionary --src all.en --tgt all.de --links all.links --lex lex
  xalign dictionary --src all.en --tgt all.de --links all.links --spm vocab.spm --shortlist lex.s2t --guided all.units
"""

import argparse
import sys

from xalign_fairseq.cli._aligning import positive
from xalign_fairseq.cli._arguments import add_linked_text, add_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign dictionary``."""
    add_linked_text(parser)
    add_out(parser, "the dictionary, TSV", required=False)
    parser.add_argument("--min-count", type=positive, default=1, metavar="N", help="fewest links of a row (default: 1)")
    parser.add_argument("--lex", metavar="PREFIX", help="write PREFIX.s2t and PREFIX.t2s, as extract_lex")
    parser.add_argument("--shortlist", metavar="FILE", help="write a lexical shortlist for Marian")
    parser.add_argument(
        "--spm",
        nargs="+",
        default=[],
        metavar="MODEL",
        help="sentencepiece model of both sides, or one for each: count its units instead of words",
    )
    parser.add_argument("--guided", metavar="FILE", help="write links of these units, for Marian's guided alignment")


def run(args: argparse.Namespace) -> None:
    """Write the files, and print what they hold on stderr."""
    from xalign_fairseq.aligner.dictionary import DictionaryRun, write_dictionary

    named = {name: getattr(args, name) or "" for name in ("out", "lex", "shortlist", "guided")}
    done = write_dictionary(
        DictionaryRun(
            args.src, args.tgt, args.links, args.segment, spm=tuple(args.spm), min_count=args.min_count, **named
        )
    )
    if not args.quiet:
        print(done, file=sys.stderr)
