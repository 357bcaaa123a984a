"""The files of a report: Markdown, JSON, LaTeX and pictures."""

import json
from pathlib import Path

from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.evaluation.plots.transfer import plot_gaps, plot_scores
from xalign_fairseq.transfer.report import StudyReport
from xalign_fairseq.transfer.tables import to_latex, to_markdown


def write_report(report: StudyReport, folder: Path) -> dict[str, str]:
    """Write report.md, report.json and report.tex; their texts by name."""
    texts = {
        "report.md": to_markdown(report),
        "report.json": json.dumps(report.as_dict(), indent=1, ensure_ascii=False) + "\n",
        "report.tex": to_latex(report),
    }
    for name, text in texts.items():
        with atomic_write(folder / name) as stream:
            stream.write(text)
    return texts


def draw_report(report: StudyReport, folder: Path) -> None:
    """Write scores.png and gaps.png, if there are figures for them; needs matplotlib."""
    scores = [
        {"task": task.title, "checkpoint": row.checkpoint, **vars(row.average)}
        for task in report.tasks
        for row in task.rows["score"]
        if row.average is not None
    ]
    gaps = [
        {"task": gap.task, "checkpoint": gap.checkpoint, "language": language, **vars(summary)}
        for gap in report.english_gaps
        for language, summary in gap.languages.items()
    ]
    for name, rows, plot in (("scores.png", scores, plot_scores), ("gaps.png", gaps, plot_gaps)):
        if rows:
            plot(rows, folder / name)
