"""Project the annotation of a text to its translation.

Copies labels and markup of a source text to the linked words of its translation. The output is the annotated
translation, in the format of the source. The aligner finds the links, or --links gives them, for example from
xalign align, which has more options. Annotation that cannot be placed is counted on stderr by reason, and listed by
--report.

--format names a format of labels (conll, conllu, json) or of markup (html, xml, placeholders, xliff, tmx). A
tag without a link is put near its place, and reported.

A label goes on the longest run of target words linked to it; --max-gap allows words without a link in between, and
--min-share drops uncertain labels. A pair of tags goes around the run of target words with the most links to its words
and the fewest to others. --min-probability drops uncertain links. A pair with invalid annotation is counted, and its
translation stays without annotation.

FILE.links keeps the links; pass it to --links to project again with other options. An existing FILE is replaced only if
FILE.links is next to it. --resume continues an interrupted run.

Examples:
  xalign project --src train.jsonl --out projected.jsonl
  xalign project --extract --src page.html --out page.txt
  xalign project --src page.html --tgt page.de.txt --out page.de.html
  xalign project --src train.conll --tgt train.de --out train.de.conll --report train.de.dropped.tsv
"""

import argparse
import sys
from typing import TYPE_CHECKING

from xalign_fairseq.cli._aligning import (
    LEARNED,
    add_model_arguments,
    add_statistics,
    chosen_model,
    parse_options,
    probability,
    show_log,
)
from xalign_fairseq.cli._arguments import add_count, add_out, add_values, parse_as
from xalign_fairseq.core.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.projection.run import ProjectRun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from xalign_fairseq.core.text.segmentation import SEGMENTERS

    parser.add_argument("--src", required=True, metavar="FILE", help="annotated text")
    parser.add_argument("--tgt", metavar="FILE", help="its translation; not for formats that contain both")
    add_out(parser, "the annotated translation; - is standard output")
    parser.add_argument(
        "--extract",
        action="store_true",
        help="only write the plain text of --src with markup, one sentence per line, for a translator",
    )
    parser.add_argument("--format", metavar="NAME", help="format of --src (default: from its name)")
    parser.add_argument(
        "--segment",
        choices=SEGMENTERS,
        default="",
        help="how to find the words of untokenised text; auto: ICU in text without spaces, otherwise spaces (default: "
        "icu for JSON lines and markup if installed, otherwise auto; auto with --links in Pharaoh's format)",
    )
    parser.add_argument("--report", metavar="FILE", help="table (TSV) of what is not placed: place, item, reason")
    parser.add_argument("--page", metavar="FILE", help="write an HTML page of the pairs with links and labels")
    parser.add_argument("--resume", action="store_true", help="continue an interrupted run")
    placing = parser.add_argument_group("placing")
    add_values(
        placing,
        ("max-gap", int, "N", "maximum number of words without a link within a target span (labels; default: 3)"),
        ("min-share", probability, "S", "minimum share of a span's words with a link (labels; default: 0)"),
        ("min-probability", probability, "P", "minimum probability of a link (default: the aligner's choice)"),
    )
    links = parser.add_argument_group("links")
    links.add_argument(
        "--links", metavar="FILE", help="links of each pair, Pharaoh or JSON of xalign align, instead of an aligner"
    )
    add_statistics(links)
    add_model_arguments(parser, basic=True)
    add_count(parser, "--processes", "aligner processes on the CPU", default=1)


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.projection.run import extract_texts, project_files

    show_log(args.quiet)
    if args.extract:
        parser = argparse.ArgumentParser()
        add_arguments(parser)
        unused = vars(parser.parse_args(["--src", "", "--out", ""]))
        used = {"src", "out", "extract", "format", "quiet", "verbose"}
        if given := [name for name in sorted(unused.keys() - used) if getattr(args, name) != unused[name]]:
            raise XalignError("the text is only extracted", parameter=("extract", *given))
        extract_texts(args.src, args.out, args.format or "", args.quiet)
        return
    report = project_files(parse(args))
    if not args.quiet:
        hint = "\n--report FILE lists what is not placed" if report.dropped and not args.report else ""
        print(f"{report.summary}{hint}", file=sys.stderr)


def parse(args: argparse.Namespace) -> "ProjectRun":
    from xalign_fairseq.projection.run import ProjectRun
    from xalign_fairseq.projection.spans import Placing

    return parse_as(
        ProjectRun,
        args,
        placing=parse_as(Placing, args),
        model=args.model or "" if args.links else chosen_model(args.model, args.quiet),
        options=parse_options(args),
        learns=args.statistics == LEARNED,
    )
