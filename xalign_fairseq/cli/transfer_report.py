"""Write tables, tests and pictures of xalign transfer's runs.

Reads RUNS/runs, prints the report as Markdown, and writes report.md, report.json, report.tex, scores.png and gaps.png.
--baseline NAME compares every other checkpoint with NAME: paired bootstrap over test items and over seeds, with Holm's
correction over tasks, and a test for lower scores in English. --paper also writes paper.md, with a paper's figures next
to these.

Examples:
  xalign transfer-report transfer --baseline none
  xalign transfer-report transfer --baseline none --paper ppa --row mine="Ours (250k)"
"""

import argparse
import sys
from pathlib import Path

from xalign_fairseq.cli._arguments import add_json, add_out, add_paper, add_resamples, chosen_paper
from xalign_fairseq.core.errors import XalignError, command_line_text
from xalign_fairseq.core.json_files import read_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="RUNS", help="the --out folder of xalign transfer")
    parser.add_argument("--baseline", metavar="NAME", help="checkpoint to compare the others with")
    add_out(parser, "folder of the report (default: RUNS/report)", metavar="DIR", required=False)
    add_paper(parser)
    add_json(parser)
    add_resamples(parser)


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.evaluation.plots.figure import require_matplotlib
    from xalign_fairseq.transfer.report import figures_of, make_report
    from xalign_fairseq.transfer.tables import draw_report, write_report

    paper = chosen_paper(args.paper, args.row)
    report = make_report(args.runs, args.baseline, samples=args.samples, seed=args.seed)
    beside = paper.to_markdown(figures_of(report)) if paper else ""
    folder = Path(args.out or Path(args.runs) / "report")
    earlier = folder / "report.json"
    former = read_json(earlier).get("baseline") if args.baseline is None and earlier.is_file() else None
    texts = write_report(report, folder, beside)
    try:
        require_matplotlib()
    except XalignError as error:
        print(f"no pictures: {command_line_text(error)}", file=sys.stderr)
    else:
        draw_report(report, folder)
    shown = ("report.json",) if args.json else ("report.md", "paper.md")
    print("\n".join(texts[name] for name in shown if name in texts), end="")
    print(f"written to {folder}", file=sys.stderr)
    if former:
        print(f"the earlier report had differences from {former}: --baseline {former} adds them", file=sys.stderr)
