"""A report as tables, in Markdown and in LaTeX; scores in percent, mean ± sample deviation over seeds."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.output import require_replaceable
from xalign_fairseq.evaluation.plots.transfer import plot_gaps, plot_scores
from xalign_fairseq.evaluation.signature import parse_signature
from xalign_fairseq.evaluation.statistics import Summary
from xalign_fairseq.evaluation.tables import Table, latex_file, markdown_text, percent, signed
from xalign_fairseq.transfer.comparisons import Difference
from xalign_fairseq.transfer.report import SCORE, Row, StudyReport, TaskReport
from xalign_fairseq.transfer.results import EACH

PICTURES = ("scores.png", "gaps.png")


def make_tables(report: StudyReport) -> list[Table]:
    """All tables of a report that have rows."""
    tables = [_overall(report)]
    for task in report.tasks:
        tables += _task(task)
    tables += [_differences(report), _english_check(report), _english_gaps(report), _supervised_gaps(report)]
    return [table for table in tables if table.rows]


def to_markdown(report: StudyReport) -> str:
    parts = ["# Zero-shot transfer", *_preface(report), *(table.to_markdown() for table in make_tables(report))]
    for title, entries in (("Missing runs", report.missing), ("Test files without labels", report.unlabelled)):
        if entries:
            parts += [f"## {title}", "\n".join(f"- {markdown_text(entry)}" for entry in entries)]
    parts += ["## Signatures", "\n".join(f"- {line}" for line in _signatures(report))]
    return "\n\n".join(parts) + "\n"


def _preface(report: StudyReport) -> list[str]:
    text = (
        "Scores in percent: mean ± sample deviation over seeds. Single runs, and averages of tasks with different "
        "seeds, have no deviation. The best of each column is bold. Averages are over runs that were tested on all "
        "languages of the task."
    )
    if report.baseline is None:
        return [text]
    return [
        text,
        f"Tests against {markdown_text(report.baseline)} are paired bootstraps of {report.bootstrap['samples']} "
        "resamples, on the seeds that both have. *Items* resamples the test items; *items and seeds* resamples the "
        "seeds too. Holm's correction over a checkpoint's tasks applies to *items and seeds*, or to *items* if the "
        "checkpoint has one seed. With 2 or 3 seeds, do not trust *items and seeds* and its correction: if only seeds "
        "differ, p < 0.05 occurs in 30 % of comparisons with 2 seeds and in 13 % with 3.",
    ]


def _signatures(report: StudyReport) -> list[str]:
    """A line for each task and metric: the common part, then the data of each language."""
    lines = []
    for task in report.tasks:
        for metric in task.metrics:
            data: dict[str, list[str]] = {}
            for language, signatures in task.signatures.items():
                parts = parse_signature(signatures[metric])
                rest = "|".join(f"{key}:{value}" for key, value in parts.items() if key not in ("language", "data"))
                data.setdefault(rest, []).append(f"{language} {parts['data']}")
            lines += [f"{markdown_text(task.title)}: `{rest}` on {', '.join(found)}" for rest, found in data.items()]
    return lines


def _gap(summary: Summary) -> str:
    return signed(100 * summary.mean) + ("" if summary.deviation is None else f" ± {100 * summary.deviation:.1f}")


def _best(columns: Sequence[Sequence[Summary | None]]) -> frozenset[tuple[int, int]]:
    """(row, column) of the highest printed means; none for a single row. Column 0 of the table is the name."""
    bold = set()
    for number, column in enumerate(columns, 1):
        shown = [None if summary is None else round(100 * summary.mean, 1) for summary in column]
        known = [mean for mean in shown if mean is not None]
        bold |= {(row, number) for row, mean in enumerate(shown) if len(known) > 1 and mean == max(known)}
    return frozenset(bold)


def _figures(row: Row, task: TaskReport) -> list[Summary | None]:
    """The scores of a row in the order of the columns."""
    averages = [row.average, *([row.zero_shot] if _has_both(task) else [])]
    return [*(row.languages[language] for language in task.languages), *averages]


def _has_both(task: TaskReport) -> bool:
    """Whether the zero-shot average differs from the average of all languages."""
    return bool(task.zero_shot) and task.zero_shot != task.languages


def _task(task: TaskReport) -> list[Table]:
    """A table per metric; F1 and EM of QA share one."""
    columns = ("checkpoint", *task.languages, "average", *(["zero-shot"] if _has_both(task) else []))
    tables = []
    for names in [("f1", "em")] if task.family == "qa" else [(metric,) for metric in task.metrics]:
        parts = [[_figures(row, task) for row in task.rows[name]] for name in names]
        rows = [
            (row.checkpoint, *(" / ".join(filter(None, map(percent, cell))) for cell in zip(*lines, strict=True)))
            for row, *lines in zip(task.rows[names[0]], *parts, strict=True)
        ]
        # Two figures in a cell: the best has the highest mean of both.
        deciding = [_figures(row, task) for row in task.rows[SCORE if len(names) > 1 else names[0]]]
        title = f"{task.title}: {' / '.join(name.upper() if len(names) > 1 else name for name in names)}"
        tables.append(Table(title, columns, rows, bold=_best(list(zip(*deciding, strict=True)))))
    return tables


def _overall(report: StudyReport) -> Table:
    """Average score of each task, and over tasks if there are several."""
    tasks = [task for task in report.tasks if task.models != EACH]
    if len(tasks) < 2:
        return Table("", (), [])
    averages = [{row.checkpoint: row.average for row in task.rows[SCORE]} for task in tasks]
    figures = [[*(each.get(name) for each in averages), report.overall[name]] for name in report.checkpoints]
    scores = {f"{t.benchmark} {'mean of ' * (len(t.scored_by) > 1)}{' and '.join(t.scored_by)}": None for t in tasks}
    return Table(
        "Average over languages of each task, and over tasks",
        ("checkpoint", *(task.title for task in tasks), "average"),
        [(name, *map(percent, row)) for name, row in zip(report.checkpoints, figures, strict=True)],
        (f"Scores: {', '.join(scores)}.",),
        _best(list(zip(*figures, strict=True))),
    )


_FINDING = ("difference", "95 % interval", "p, items", "p, items and seeds", "p, Holm")


def _differences(report: StudyReport) -> Table:
    found = report.findings.averages if report.findings else []
    columns = ("checkpoint", "task", "over", *_FINDING)
    title = f"Differences from {report.baseline}"
    return Table(title, columns, [_finding(each) for each in found], bold=_sure(found), names=3)


def _english_check(report: StudyReport) -> Table:
    """Whether English is worse than with the baseline."""
    found = report.findings.english if report.findings else []
    columns = ("checkpoint", "task", "test", *_FINDING, "verdict")
    verdicts = ["no evidence" if not x.significant else "worse" if x.difference < 0 else "better" for x in found]
    rows = [(*_finding(each), verdict) for each, verdict in zip(found, verdicts, strict=True)]
    title = f"English regression check: English minus English of {report.baseline}"
    return Table(title, columns, rows, bold=_sure(found), names=3)


def _finding(finding: Difference) -> tuple[str, ...]:
    seeds = finding.p_items_and_seeds
    return (
        finding.checkpoint,
        finding.task,
        finding.over,
        signed(100 * finding.difference),
        f"{signed(100 * finding.low)} to {signed(100 * finding.high)}",
        f"{finding.p_items:.3f}",
        "" if seeds is None else f"{seeds:.3f}",
        f"{finding.p_holm:.3f}",
    )


def _sure(findings: Sequence[Difference]) -> frozenset[tuple[int, int]]:
    """The differences whose corrected p-value is below 0.05."""
    return frozenset((row, 3) for row, finding in enumerate(findings) if finding.significant)


def _english_gaps(report: StudyReport) -> Table:
    rows = [(gap.task, gap.checkpoint, _gap(gap.average)) for gap in report.english_gaps]
    note = "Smaller is better only at equal English."
    return Table(
        "English minus the average of the other languages", ("task", "checkpoint", "gap"), rows, (note,), names=2
    )


def _supervised_gaps(report: StudyReport) -> Table:
    rows = [
        (gap.task, gap.language, gap.checkpoint, percent(gap.supervised), percent(gap.zero_shot), _gap(gap.gap))
        for gap in report.supervised_gaps
    ]
    columns = ("task", "language", "checkpoint", "trained on it", "zero-shot", "gap")
    return Table("Trained on the language itself minus zero-shot, same test data", columns, rows, names=3)


def write_report(report: StudyReport, folder: Path, paper: str = "") -> dict[str, str]:
    """Write report.md, report.tex, paper.md (from ``paper``) and report.json, which marks them as this command's.

    Returns their texts by name.
    """
    texts = {
        "report.json": json.dumps({"format": 1, **asdict(report)}, indent=1, ensure_ascii=False) + "\n",
        "report.md": to_markdown(report),
        "report.tex": latex_file(make_tables(report)),
    }
    if paper:
        texts["paper.md"] = paper + "\n"
    earlier = folder / "report.json"
    if not (earlier.is_file() and {"format", "checkpoints"} <= read_json(earlier).keys()):
        for name in (*texts, *PICTURES):
            require_replaceable(folder / name, "unknown")
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
    for name, rows, plot in zip(PICTURES, (scores, gaps), (plot_scores, plot_gaps), strict=True):
        if rows:
            plot(rows, folder / name)
