"""Keep the pairs of a bitext that are translations.

Aligns the words and scores each pair by its links, from 0 to 1: the share of letters in linked words, on the side where
it is lower, weighted by the probability of the links. The score detects unrelated sentences and missing parts well,
single wrong words less well. It cannot judge a side of one word (see docs/reference/pair_scores.md); pairs of one word
each are kept and counted.

With --out P, the kept pairs go to P.SRC and P.TGT (with the suffixes of the inputs), their links to P.links, the
dropped pairs with their scores to P.dropped.tsv, and the scores of all pairs to P.scores. Two languages of one
translation memory (--src mem.tmx#en --tgt mem.tmx#de) also give P.tmx: the memory without the dropped units, otherwise
unchanged.

Columns of P.scores: score, share of source words with a link, share of target words, mean probability of the links,
share of links that both words prefer, length ratio, links. `xalign align --format scores` also writes such a file, and
has more options for the links. To try another threshold, pass the file to --scores; nothing is aligned again.

--resume continues an interrupted run. Memory does not grow with the text.

Examples:
  xalign filter --src crawl.en --tgt crawl.de --out clean
  xalign filter --src crawl.en --tgt crawl.de --scores clean.scores --min-score 0.7 --out cleaner
  xalign filter --src mem.tmx#en --tgt mem.tmx#de --min-score 0.6 --out clean.tmx
"""

import argparse
import sys

from xalign_fairseq.cli._aligning import (
    add_model_arguments,
    chosen_model,
    parse_options,
    probability,
    show_log,
)
from xalign_fairseq.cli._arguments import add_count, add_out, add_segment, add_text
from xalign_fairseq.core.errors import XalignError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_text(parser)
    add_segment(parser)
    add_out(parser, "prefix of the outputs", metavar="P")
    parser.add_argument(
        "--min-score",
        type=probability,
        default=0.5,
        metavar="S",
        help="minimum score of a kept pair; short sentences need more (default: 0.5)",
    )
    parser.add_argument("--scores", metavar="FILE", help="scores of this text from an earlier run")
    parser.add_argument("--resume", action="store_true", help="continue an interrupted run")
    add_count(parser, "--processes", "aligner processes on the CPU, with one thread each", default=1)
    add_model_arguments(parser, basic=True)


def run(args: argparse.Namespace) -> None:
    """Score, keep, write, and print counts on stderr."""
    from xalign_fairseq.aligner.filtering import FilterRun, filter_files
    from xalign_fairseq.aligner.run import AlignRun

    show_log(args.quiet)
    options = parse_options(args)
    unused = [*(name for name in ("resume", "model") if getattr(args, name)), *options.given()]
    if args.scores and unused:
        raise XalignError("given scores need no aligner", parameter=("scores", *unused), remedy="leave the others out")
    model = "" if args.scores else chosen_model(args.model, args.quiet)
    aligning = AlignRun((), model, options, segment=args.segment, quiet=args.quiet)
    done = filter_files(
        FilterRun(args.src, args.tgt, args.out, aligning, args.min_score, args.scores or "", args.resume)
    )
    if not args.quiet:
        print(done, file=sys.stderr)
