"""Set alignment beside retrieval and transfer of the same checkpoints: two tables and a picture.

usage: python correlate.py

Reads results/report/report.json of xalign transfer-report, of it the tasks that enough checkpoints have, and the AER of
the same runs, on the benchmark's four test sets, from ../xlm_align/continued/results; and results/control/report.json,
whose baseline was trained on the same text without any alignment. Writes results/correlation.svg and the tables of
README.md and details.md.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))

import markers

from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.evaluation.statistics import Correlation, Summary, spearman
from xalign_fairseq.evaluation.tables import markdown, percent, signed

HERE = Path(__file__).resolve().parent
ALIGNMENT = HERE.parent / "xlm_align/continued/results"
FAR = 2.0  # points of AER
NONE = "none"  # e5-small as it comes
LEAST = 4  # checkpoints that a task needs to be correlated
Task = Mapping[str, Any]


class Change(NamedTuple):
    """A checkpoint's score less that of e5-small as it comes, with its 95 % interval, in points."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, test: Mapping[str, float]) -> "Change":
        """Of what a report or a study has tested, in fractions."""
        return cls(*(100 * test[key] for key in ("difference", "low", "high")))


def rows_of(task: Task) -> dict[str, Any]:
    """Checkpoint -> its scores, by the metric that makes the task's score."""
    metric = task["scored_by"][0] if len(task["scored_by"]) == 1 else "score"
    return {row["checkpoint"]: row for row in task["rows"][metric]}


def enough(tasks: Sequence[Task]) -> list[Task]:
    """Those that :data:`LEAST` checkpoints have."""
    return [task for task in tasks if len(rows_of(task)) >= LEAST]


def changes(task: Task, report: Mapping[str, Any]) -> dict[str, Change]:
    """Checkpoint -> how its zero-shot score differs."""
    tested = [each for each in report["findings"]["averages"] if each["task"] == task["title"]]
    return {each["checkpoint"]: Change.of(each) for each in tested if each["over"] == "zero-shot"}


def correlations(tasks: Sequence[Task], report: Mapping[str, Any], aers: Mapping[str, float]) -> list[Correlation]:
    """Spearman's correlation of links' quality (-AER) and the change of zero-shot scores, for each task.

    Over the checkpoints that it has, e5-small as it comes among them, whose change is 0.
    """
    found = []
    for task in tasks:
        values = {NONE: 0.0, **{name: change.value for name, change in changes(task, report).items()}}
        found.append(spearman([-aers[name] for name in values], list(values.values())))
    return found


def table(tasks: Sequence[Task], report: Mapping[str, Any], aers: Mapping[str, float]) -> str:
    """A row for each checkpoint, the best aligner first, and one of correlations.

    Of e5-small as it comes the zero-shot score itself, of the others how it changes.
    """
    columns = ("checkpoint", "AER", *(task["task"] for task in tasks))
    body = []
    for name in sorted(aers, key=aers.__getitem__):
        changed = [changes(task, report).get(name) for task in tasks]
        own = [percent(Summary(**rows_of(task)[NONE]["zero_shot"])) for task in tasks]
        cells = own if name == NONE else [interval(each) if each else "" for each in changed]
        body.append([name, f"{aers[name]:.1f}", *cells])
    last = ["ρ with −AER", "", *map(shown, correlations(tasks, report, aers))]
    return markdown(columns, [*body, last])


def against(tasks: Sequence[Task], report: Mapping[str, Any]) -> str:
    """A row for each checkpoint but e5-small as it comes: how it differs from a report's baseline in the tasks."""
    found = {task["task"]: changes(task, report) for task in tasks}
    names = [name for name in report["checkpoints"] if name != NONE and any(name in each for each in found.values())]
    body = [[name, *(interval(each[name]) if name in each else "" for each in found.values())] for name in names]
    return markdown(("checkpoint", *found), body)


def interval(change: Change) -> str:
    """As in ``+1.8 (+1.0 to +2.5)``."""
    return f"{signed(change.value)} ({signed(change.low)} to {signed(change.high)})"


def shown(found: Correlation) -> str:
    """As in ``+0.61 (−0.20 to +1.00), p 0.123``."""
    return f"{signed(found.rho, 2)} ({signed(found.low, 2)} to {signed(found.high, 2)}), p {found.p:.3f}"


def draw(
    tasks: Sequence[Task], report: Mapping[str, Any], tests: Mapping[str, Any], aers: Mapping[str, float], path: Path
) -> None:
    """A panel for each task: the change of its zero-shot score over that of AER, with the interval of either.

    What harms alignment by more than :data:`FAR` is left out: beside it all others would be one point.
    """
    from xalign_fairseq.evaluation.plots.figure import new_figure, save, style_axes
    from xalign_fairseq.evaluation.plots.palette import ACCENT, INK, MUTED

    figure = new_figure(1.0 + 3.6 * len(tasks), 4.6)
    panels = figure.subplots(1, len(tasks), squeeze=False)[0]
    for task, rho, axes in zip(tasks, correlations(tasks, report, aers), panels, strict=True):
        for name, change in changes(task, report).items():
            aer = Change.of(tests[name])
            if aer.value > FAR:
                continue
            spread = [[[each.value - each.low], [each.high - each.value]] for each in (change, aer)]
            axes.errorbar(aer.value, change.value, *spread, fmt="o", color=ACCENT, markersize=4, elinewidth=0.8)
            axes.annotate(name, (aer.value, change.value), textcoords="offset points", xytext=(4, 4), fontsize=8,
                          color=INK)  # fmt: skip
        axes.axhline(0, color=MUTED, linewidth=0.8)
        axes.axvline(0, color=MUTED, linewidth=0.8)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: signed(value, 1))
        axes.set_title(f"{task['task']}: ρ = {signed(rho.rho, 2)}", color=INK, fontsize=10)
        axes.set_xlabel("change of AER, points", color=INK, fontsize=9)
        style_axes(axes, grid="both")
    panels[0].set_ylabel("change of the zero-shot score, points", color=INK, fontsize=9)
    save(figure, path)


def main() -> None:
    """Write table and picture."""
    report, control = (read_json(HERE / f"results/{name}/report.json") for name in ("report", "control"))
    tests = read_json(ALIGNMENT / "tests.json")["none"]
    aers = {name: read_json(ALIGNMENT / f"{name}-1.json")["test"]["test"]["mean"] for name in report["checkpoints"]}
    tasks = enough(report["tasks"])
    trained = [task for task in tasks if task["train_languages"]]
    tables = {"correlation": table(tasks, report, aers), "control": against(trained, control)}
    pages = [HERE / "README.md", HERE / "details.md"]
    markers.update(pages, "study", tables.__getitem__, False, "correlate.py")
    draw(tasks, report, tests, aers, HERE / "results/correlation.svg")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    main()
