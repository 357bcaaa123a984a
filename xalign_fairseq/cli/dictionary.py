"""Make dictionaries from linked text, and training files for Marian.

--out is a table (TSV) of all linked word pairs: source, target, number of links, p(t|s), p(s|t) and significance; the
most frequent translation of a source comes first. Probabilities are shares of links. Significance is Dunning's
log-likelihood ratio, negative if the pair is rarer than chance; by chance, one pair in a thousand exceeds 10.83.

--lex writes the lexical probabilities of Moses's and Marian's extract_lex, sorted differently: "target source p(t|s)"
in PREFIX.s2t, "source target p(s|t)" in PREFIX.t2s; words without a link are linked to NULL. --shortlist writes the
lines of PREFIX.s2t for Marian's --shortlist FILE 100 100: without NULL, at most 100 per source. With Marian's
sentencepiece model (--spm), everything is counted in its units, and --guided writes links of units for
--guided-alignment.

Memory does not grow with the text: half a million word pairs are counted in memory, about 120 MB, the others in files
next to the output.

Examples:
  xalign dictionary --src all.en --tgt all.de --links all.links --out en-de.tsv --min-count 2
  xalign dictionary --src all.en --tgt all.de --links all.links --lex lex
  xalign dictionary --src all.en --tgt all.de --links all.links --spm vocab.spm --shortlist lex.s2t --guided all.units
"""

import argparse
import sys

from xalign_fairseq.cli._arguments import add_count, add_linked_text, add_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_linked_text(parser)
    add_out(parser, "the dictionary, TSV", required=False)
    add_count(parser, "--min-count", "minimum number of links", default=1)
    parser.add_argument("--lex", metavar="PREFIX", help="write PREFIX.s2t and PREFIX.t2s, as extract_lex does")
    parser.add_argument("--shortlist", metavar="FILE", help="write a lexical shortlist for Marian")
    parser.add_argument(
        "--spm",
        nargs="+",
        default=[],
        metavar="MODEL",
        help="sentencepiece model of both sides, or one per side: count its units instead of words",
    )
    parser.add_argument("--guided", metavar="FILE", help="write links of these units, for Marian's guided alignment")


def run(args: argparse.Namespace) -> None:
    """Write the files, and print their counts on stderr."""
    from xalign_fairseq.aligner.dictionary import DictionaryRun, write_dictionary

    named = {name: getattr(args, name) or "" for name in ("out", "lex", "shortlist", "guided")}
    done = write_dictionary(
        DictionaryRun(
            args.src, args.tgt, args.links, args.segment, spm=tuple(args.spm), min_count=args.min_count, **named
        )
    )
    if not args.quiet:
        print(done, file=sys.stderr)
