"""Tables, tests and pictures of what xalign transfer ran.

It reads RUNS/runs, prints the report as Markdown and writes report.md, report.json, report.tex, scores.png and
gaps.png. With --baseline every other checkpoint is compared with that one: paired bootstrap over test items and over
seeds, with Holm's correction over tasks, and whether English has become worse.

Example:
  xalign transfer-report transfer --baseline none
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xalign_fairseq.cli._arguments import add_json, add_out
from xalign_fairseq.core.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.transfer.report import StudyReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign transfer-report``."""
    parser.add_argument("runs", metavar="RUNS", help="folder that xalign transfer has written, its --out")
    parser.add_argument("--baseline", metavar="NAME", help="checkpoint that the others are compared with")
    add_out(parser, "folder of the report (default: RUNS/report)", metavar="DIR", required=False)
    add_json(parser)
    parser.add_argument("--samples", type=int, default=1000, metavar="N", help="resamples of a test (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the resamples (default: 1)")


def run(args: argparse.Namespace) -> None:
    """Read and check all runs, compute, print, write."""
    import json

    from xalign_fairseq.core.files import atomic_write
    from xalign_fairseq.transfer.report import make_report
    from xalign_fairseq.transfer.tables import to_latex, to_markdown

    if args.samples < 1 or args.seed < 0:
        raise XalignError("--samples is at least 1 and --seed at least 0", found=f"{args.samples}, {args.seed}")
    report = make_report(args.runs, args.baseline, samples=args.samples, seed=args.seed)
    folder = Path(args.out or Path(args.runs) / "report")
    texts = {
        "report.md": to_markdown(report),
        "report.json": json.dumps(report.as_dict(), indent=1, ensure_ascii=False) + "\n",
        "report.tex": to_latex(report),
    }
    for name, text in texts.items():
        with atomic_write(folder / name) as stream:
            stream.write(text)
    draw(report, folder)
    print(texts["report.json" if args.json else "report.md"], end="")
    print(f"written to {folder}", file=sys.stderr)


def draw(report: "StudyReport", folder: Path) -> None:
    """The pictures that there are figures for; without matplotlib, a line that says so."""
    from xalign_fairseq.evaluation.plots.figure import require_matplotlib
    from xalign_fairseq.evaluation.plots.transfer import plot_gaps, plot_scores

    try:
        require_matplotlib()
    except XalignError as error:
        print(f"no pictures: {error}", file=sys.stderr)
        return
    scores: list[dict[str, Any]] = [
        {"task": task.title, "checkpoint": row.checkpoint, **vars(row.average)}
        for task in report.tasks
        for row in task.rows["score"]
        if row.average is not None
    ]
    gaps: list[dict[str, Any]] = [
        {"task": gap.task, "checkpoint": gap.checkpoint, "language": language, **vars(summary)}
        for gap in report.english_gaps
        for language, summary in gap.languages.items()
    ]
    for name, rows, plot in (("scores.png", scores, plot_scores), ("gaps.png", gaps, plot_gaps)):
        if rows:
            plot(rows, folder / name)
