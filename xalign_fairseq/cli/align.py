"""Align the words of sentence pairs.

Writes one line per pair, in the order of the input, also for pairs with an empty side. Formats: Pharaoh links "i-j"
(0-based words), JSON with words and link probabilities, a table with texts and linked words for a spreadsheet (.tsv), a
table of pair scores (--format scores, for `xalign filter`), or an HTML page. Pairs are read 2,048 at a time, so
memory use hardly grows with the text.

Only newlines end a line. Words are separated by white space; in lines without spaces (Chinese, Japanese, Thai, Lao,
Khmer, Burmese, Tibetan), ICU finds them, and lines of one or two words stay whole. --segment icu finds words in every
language and splits off punctuation. --format json includes the words and their positions.

The default model is e5-small, a multilingual encoder installed with pip. --from-scratch needs no encoder: it learns
from the text alone (minutes for 100,000 pairs) and saves FILE.aligner; use that as --model for new text. It needs
thousands of pairs, and is for languages that no encoder covers. --statistics combines the encoder with statistics
learned from the text; this is better than either.

A pair longer than the encoder's positions is encoded in overlapping windows. A pair with more than 16 million pairs of
subwords (4,096 per side), or 8,192 on a side, gets no links; a warning names its line. Output goes to FILE.part until
it is complete. --resume continues an interrupted run, on any device and with any number of processes.

Examples:
  xalign align test.en test.de -o test.links
  xalign align test.en test.de -o test.html
  xalign align --model checkpoint_best.pt --src test.en --tgt test.de --out test.links
  xalign align --from-scratch --src all.en --tgt all.de --out all.links
  xalign align --statistics --src all.en --tgt all.de --out all.links
  xalign align --statistics all.links.aligner --src test.en --tgt test.de --out test.links
  xalign align --src raw.en --tgt raw.ja --segment spaces,icu --format json --out links.jsonl
  zcat pairs.gz | xalign align --model checkpoint_best.pt --pairs - --processes 8 | gzip > links.gz
"""

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from xalign_fairseq.cli._aligning import (
    LEARNED,
    add_model_arguments,
    add_statistics,
    add_text_arguments,
    chosen_model,
    parse_options,
    probability,
    show_log,
    text_files,
)
from xalign_fairseq.cli._arguments import add_count, add_out, add_segment, parse_as, quick_imports
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.output import STANDARD_OUTPUT
from xalign_fairseq.core.text.compressed import is_compressed

if TYPE_CHECKING:
    from xalign_fairseq.aligner.run import AlignRun

# Format by the ending of the output's name.
FORMAT_OF = {".jsonl": "json", ".tsv": "words", ".scores": "scores", ".html": "html", ".htm": "html"}
# Pharaoh: no ending, these, a number (of a part), or a language pair such as .en-fr.
PHARAOH = re.compile(
    r"(\.(links?|align(ed|ments?)?|pharaoh|talp|txt|out|fwd|rev|forward|backward|sym|gdfa?|\d+"
    r"|[a-z]{2,3}([-_][a-z]{2,4}){1,3}))?"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_segment(add_text_arguments(parser, streams=True))
    add_out(parser, "the links; - is standard output", default=STANDARD_OUTPUT)
    parser.add_argument("--resume", action="store_true", help="continue an interrupted run")
    parser.add_argument(
        "--format",
        choices=dict.fromkeys(("pharaoh", *FORMAT_OF.values())),
        help=f"output format (default: from the ending of --out: {', '.join(FORMAT_OF)}; pharaoh for .links, .align, "
        ".txt, .en-fr or no ending; others are an error)",
    )
    scratch = parser.add_argument_group("from the bitext itself")
    scratch.add_argument(
        "--from-scratch", action="store_true", help="learn from the text alone, save FILE.aligner, and align"
    )
    add_statistics(scratch)
    part = "learn from N pairs, spread evenly over the text, and align all; memory grows with N only (default: all)"
    add_count(scratch, "--learn-from", part)
    parser.add_argument(
        "--min-probability",
        type=probability,
        metavar="P",
        help="keep links of at least this probability, instead of --threshold and --growth: 0.9 gives few links, 0.2 "
        "many. Probabilities are calibrated for --method scored, transport and released and for --from-scratch "
        "(default: the method's own threshold)",
    )
    add_model_arguments(parser)
    processes = "CPU processes, each with one thread and the whole model (default: 1, with a thread per core)"
    add_count(parser, "--processes", f"{processes}; for several GPUs use --device cuda:0,cuda:1", default=1)
    plot = parser.add_argument_group("pictures")
    plot.add_argument("--plot", metavar="FILE", help="draw the link matrix of one pair (PNG or SVG; needs matplotlib)")
    plot.add_argument("--plot-line", type=int, metavar="N", help="line of the pair (default: 1, the first)")
    plot.add_argument(
        "--gold", metavar="FILE", help="gold links to show with --plot or --format html: i-j sure, ipj possible"
    )


def run(args: argparse.Namespace) -> None:
    """Align, write, and print what was done on stderr."""
    with quick_imports():
        from xalign_fairseq.aligner.run import align_files

    show_log(args.quiet)
    report = align_files(parse(args))
    if not args.quiet:
        print(report.summary, file=sys.stderr)
    if report.warning:
        print(f"warning: {report.warning}; links by --from-scratch may be better", file=sys.stderr)


def parse(args: argparse.Namespace) -> "AlignRun":
    from xalign_fairseq.aligner.pictures import Pictures
    from xalign_fairseq.aligner.run import AlignRun

    if args.statistics and Path(args.statistics).is_file() and not (args.text or args.src or args.pairs):
        where = ("give the text before", Parameter("statistics"))
        raise XalignError("the text was taken as the folder of statistics", where=args.statistics, remedy=where)
    text = text_files(args.text, args.src, args.tgt, args.pairs)
    for option in ("model", "statistics") if args.from_scratch else ():
        if getattr(args, option) is not None:
            problem = "learning from bitext alone takes no model or statistics"
            remedy = ("leave out", Parameter("from_scratch"), "to use an encoder")
            raise XalignError(problem, parameter=("from_scratch", option), remedy=remedy)
    form = args.format or format_of(args.out)
    return parse_as(
        AlignRun,
        args,
        text=text,
        format=form,
        model=None if args.from_scratch else chosen_model(args.model, args.quiet),
        options=parse_options(args).changed(refuse_unused=form != "html"),  # a page names the languages
        learns=args.statistics == LEARNED,
        pictures=Pictures(args.plot, args.plot_line, args.gold),
    )


def format_of(out: str) -> str:
    suffix = Path(out).suffix.lower()
    if not (suffix in FORMAT_OF or PHARAOH.fullmatch(suffix) or is_compressed(out)):  # Output refuses compressed names
        change, form = ("name JSON lines .jsonl", "json") if suffix == ".json" else ("change the name", "pharaoh")
        raise XalignError(
            "unknown ending of the output's name",
            parameter="out",
            found=out,
            expected=f"{', '.join(FORMAT_OF)}; for Pharaoh links .links, .align, .txt, .en-fr or no ending",
            remedy=(f"{change}, or set", Parameter("format", form)),
        )
    return FORMAT_OF.get(suffix, "pharaoh")
