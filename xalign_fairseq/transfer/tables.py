"""A report as tables, in Markdown and in LaTeX; scores in percent, mean ± sample deviation over seeds."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from xalign_fairseq.evaluation.signature import parse_signature
from xalign_fairseq.evaluation.statistics import Summary
from xalign_fairseq.transfer.comparisons import Difference
from xalign_fairseq.transfer.report import SCORE, Row, StudyReport, TaskReport
from xalign_fairseq.transfer.results import EACH

NOTHING = ""
NO_DEVIATION = "n/a"
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "−": r"$-$",
    "–": "--",
    **{character: "\\" + character for character in "&%$#_{}"},
}


@dataclass(frozen=True)
class Table:
    """Text in rows and columns, the first ``names`` of them left-aligned; ``bold`` holds (row, column) of cells."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: tuple[str, ...] = ()
    bold: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    names: int = 1

    def alignment(self, left: str, right: str) -> list[str]:
        """A mark for each column."""
        return [left] * self.names + [right] * (len(self.columns) - self.names)


def make_tables(report: StudyReport) -> list[Table]:
    """All tables of a report, those without a row left out."""
    tables = [_overall(report)]
    for task in report.tasks:
        tables += _task(task)
    tables += [_differences(report), _english_check(report), _english_gaps(report), _supervised_gaps(report)]
    return [table for table in tables if table.rows]


def to_markdown(report: StudyReport) -> str:
    """The report as Markdown.

    Example::

        print(to_markdown(make_report("transfer", baseline="none")))
    """
    parts = ["# Zero-shot transfer", *_preface(report)]
    for table in make_tables(report):
        lines = [_markdown_row(table.columns), _markdown_row(table.alignment("---", "---:"))]
        lines += [_markdown_row(_emphasised(table, i, _markdown_text, "**{}**")) for i in range(len(table.rows))]
        parts += [f"## {_markdown_text(table.title)}", "\n".join(lines), *map(_markdown_text, table.notes)]
    for title, entries in (("Missing runs", report.missing), ("Test files without labels", report.unlabelled)):
        if entries:
            parts += [f"## {title}", "\n".join(f"- {_markdown_text(entry)}" for entry in entries)]
    parts += ["## Signatures", "\n".join(f"- {line}" for line in _signatures(report))]
    return "\n\n".join(parts) + "\n"


def to_latex(report: StudyReport) -> str:
    r"""The tables as LaTeX ``table`` environments; they need ``\usepackage{booktabs}``."""
    parts = [r"% \usepackage{booktabs}"]
    for table in make_tables(report):
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{''.join(table.alignment('l', 'r'))}}}",
            r"\toprule",
        ]
        lines += [_latex_row(map(latex_text, table.columns)), r"\midrule"]
        lines += [_latex_row(_emphasised(table, i, latex_text, r"\textbf{{{}}}")) for i in range(len(table.rows))]
        caption = " ".join(f"{text.rstrip('.')}." for text in (table.title, *table.notes))
        lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{latex_text(caption)}}}", r"\end{table}"]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def latex_text(text: str) -> str:
    """Plain text with LaTeX's special characters escaped."""
    return "".join(LATEX.get(character, character) for character in text)


def _markdown_text(text: str) -> str:
    for character in "\\|*<":
        text = text.replace(character, "\\" + character)
    return text


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _emphasised(table: Table, row: int, escape: Callable[[str], str], bold: str) -> list[str]:
    cells = enumerate(map(escape, table.rows[row]))
    return [bold.format(text) if (row, column) in table.bold else text for column, text in cells]


def _preface(report: StudyReport) -> list[str]:
    text = (
        f"Percent, mean ± sample deviation over seeds ({NO_DEVIATION}: one seed); the best of each column is bold. "
        "Averages are over runs that were tested on all languages of the task."
    )
    if report.baseline is None:
        return [text]
    return [
        text,
        f"Tests against {_markdown_text(report.baseline)} are paired bootstraps of {report.bootstrap['samples']} "
        "resamples, over test items alone (these models on other items) and over items and seeds (other seeds too). "
        "Holm's correction over a checkpoint's tasks is of the latter, and of the former where a checkpoint has one "
        "seed. With 2 or 3 seeds the test over seeds is too ready to find a difference.",
    ]


def _signatures(report: StudyReport) -> list[str]:
    """A line for each task and metric: what all its languages share, then the data of each."""
    lines = []
    for task in report.tasks:
        for metric in task.metrics:
            data: dict[str, list[str]] = {}
            for language, signatures in task.signatures.items():
                parts = parse_signature(signatures[metric])
                rest = "|".join(f"{key}:{value}" for key, value in parts.items() if key not in ("language", "data"))
                data.setdefault(rest, []).append(f"{language} {parts['data']}")
            lines += [f"{_markdown_text(task.title)}: `{rest}` on {', '.join(found)}" for rest, found in data.items()]
    return lines


def percent(summary: Summary | None) -> str:
    """``83.1 ± 0.4``; ``83.1 ± n/a`` of one run; nothing without a run."""
    return NOTHING if summary is None else f"{100 * summary.mean:.1f}{_spread(summary)}"


def _spread(summary: Summary) -> str:
    return f" ± {NO_DEVIATION if summary.deviation is None else f'{100 * summary.deviation:.1f}'}"


def _signed(fraction: float) -> str:
    text = f"{100 * fraction:+.1f}"
    return "0.0" if float(text) == 0 else text.replace("-", "−")


def _gap(summary: Summary) -> str:
    return _signed(summary.mean) + _spread(summary)


def _best(columns: Sequence[Sequence[Summary | None]]) -> frozenset[tuple[int, int]]:
    """(row, column) of the highest means as printed; of one row alone, none. Column 0 of the table is the name."""
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
    """Whether the zero-shot average is another than that of all languages."""
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
        # Two figures in a cell: the best is the highest mean of both.
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
    scores = ", ".join(dict.fromkeys(_score_name(task) for task in tasks))
    return Table(
        "Average over languages of each task, and over tasks",
        ("checkpoint", *(task.title for task in tasks), "average"),
        [(name, *map(percent, row)) for name, row in zip(report.checkpoints, figures, strict=True)],
        (f"Scores: {scores}.",),
        _best(list(zip(*figures, strict=True))),
    )


def _score_name(task: TaskReport) -> str:
    mean = "mean of " if len(task.scored_by) > 1 else ""
    return f"{task.benchmark} {mean}{' and '.join(task.scored_by)}"


def _differences(report: StudyReport) -> Table:
    found = report.findings.averages if report.findings else []
    columns = ("checkpoint", "task", "over", "difference", "95 % interval", "p, items", "p, items and seeds", "p, Holm")
    return Table(
        f"Differences from {report.baseline}", columns, [_finding(each) for each in found], bold=_sure(found), names=3
    )


def _english_check(report: StudyReport) -> Table:
    """Whether English got worse than it is with the baseline."""
    found = report.findings.english if report.findings else []
    columns = ("checkpoint", "task", "test", "difference", "95 % interval", "p, items", "p, items and seeds", "p, Holm")
    rows = [(*_finding(each), _verdict(each)) for each in found]
    title = f"English regression check: English minus English of {report.baseline}"
    return Table(title, (*columns, "verdict"), rows, bold=_sure(found), names=3)


def _verdict(finding: Difference) -> str:
    if not finding.significant:
        return "no evidence"
    return "worse" if finding.difference < 0 else "better"


def _finding(finding: Difference) -> tuple[str, ...]:
    seeds = finding.p_items_and_seeds
    return (
        finding.checkpoint,
        finding.task,
        finding.over,
        _signed(finding.difference),
        f"{_signed(finding.low)} to {_signed(finding.high)}",
        f"{finding.p_items:.3f}",
        NO_DEVIATION if seeds is None else f"{seeds:.3f}",
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
