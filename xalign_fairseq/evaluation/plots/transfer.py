"""Zero-shot transfer: scores of tasks and checkpoints, and gaps between languages."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.evaluation.plots.figure import draw_key, new_figure, save, style_axes
from xalign_fairseq.evaluation.plots.palette import COLOURS, INK, MARKERS, MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

KEYS = ("task", "language", "objective")
GROUP = 0.8  # share of the distance between two groups that bars or points fill
WIDE = 7.0  # inches; panels of wider figures are stacked
LABEL = 15  # characters of a line below a group, 1.2 inches wide


def plot_scores(rows: Sequence[Mapping[str, Any]], path: StrPath) -> None:
    """Draw a bar for each task and checkpoint, in percent, with the deviation over seeds if known."""
    tasks, checkpoints = _distinct(rows, "task", "checkpoint")
    figure = new_figure(max(4.8, 1.0 + len(tasks) * max(1.2, 0.26 * (len(checkpoints) + 1))), 3.8)
    axes = figure.add_subplot()
    shown = {}
    for number, checkpoint in enumerate(checkpoints):
        mine = [row for row in rows if row["checkpoint"] == checkpoint]
        places = [tasks.index(row["task"]) + _offset(number, len(checkpoints)) for row in mine]
        shown[checkpoint] = _bars(axes, places, mine, number, len(checkpoints), alpha=_strength(number))
    axes.set_ylabel("average over languages, %", color=INK)
    axes.set_ylim(bottom=0)
    _finish(axes, tasks)
    draw_key(figure, shown.items())
    save(figure, path)


def plot_gaps(rows: Sequence[Mapping[str, Any]], path: StrPath) -> None:
    """Draw English minus each language, in points, a panel per task and a colour per checkpoint."""
    tasks, checkpoints = _distinct(rows, "task", "checkpoint")
    widest = max(len({row["language"] for row in rows if row["task"] == task}) for task in tasks)
    width = max(4.8, 1.6 + 0.18 * widest * (len(checkpoints) + 1))
    columns = 2 if len(tasks) > 2 and width < WIDE else 1
    rows_of_panels = -(-len(tasks) // columns)
    figure = new_figure(columns * width, 0.6 + 2.4 * rows_of_panels)
    shown = {}
    for panel, task in enumerate(tasks, 1):
        axes = figure.add_subplot(rows_of_panels, columns, panel)
        [languages] = _distinct([row for row in rows if row["task"] == task], "language")
        for number, checkpoint in enumerate(checkpoints):
            mine = [row for row in rows if row["task"] == task and row["checkpoint"] == checkpoint]
            places = [languages.index(row["language"]) + _offset(number, len(checkpoints)) for row in mine]
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            heights = [100 * row["mean"] for row in mine]
            [shown[checkpoint]] = axes.plot(
                places, heights, marker, color=colour, markersize=5, label=checkpoint, alpha=_strength(number)
            )
            _error_bars(axes, places, mine, colour)
        axes.axhline(0, color=MUTED, linewidth=0.8)
        axes.set_title(task, color=INK, fontsize=10, loc="left", parse_math=False)
        axes.set_ylabel("gap to English, points", color=INK, fontsize=9)
        _finish(axes, languages)
    draw_key(figure, shown.items())
    save(figure, path)


def _distinct(rows: Sequence[Mapping[str, Any]], *keys: str) -> list[list[str]]:
    """The different values of each key, in order of occurrence."""
    return [list(dict.fromkeys(row[key] for row in rows)) for key in keys]


def _offset(number: int, count: int) -> float:
    """The offset to the right of a checkpoint's bar or point from its group's middle."""
    return GROUP * ((number + 0.5) / count - 0.5)


def _strength(number: int) -> float:
    """Opacity: repeated colours are fainter."""
    return 0.6 ** (number // len(COLOURS))


def _bars(
    axes: "Axes",
    places: Sequence[float],
    rows: Sequence[Mapping[str, Any]],
    number: int,
    count: int,
    alpha: float | None = None,
) -> "BarContainer":
    """The bars of one of ``count`` checkpoints or objectives, with their deviations."""
    heights, colour = [100 * row["mean"] for row in rows], COLOURS[number % len(COLOURS)]
    bars = axes.bar(places, heights, 0.92 * GROUP / count, color=colour, alpha=alpha)
    _error_bars(axes, places, rows, INK)
    return bars


def _error_bars(axes: "Axes", places: Sequence[float], rows: Sequence[Mapping[str, Any]], colour: str) -> None:
    """Deviations; none for a single run."""
    known = [(place, row) for place, row in zip(places, rows, strict=True) if row["deviation"] is not None]
    if known:
        axes.errorbar(
            [place for place, _ in known],
            [100 * row["mean"] for _, row in known],
            [100 * row["deviation"] for _, row in known],
            fmt="none",
            ecolor=colour,
            elinewidth=1.2,
            capsize=2,
        )


def _finish(axes: "Axes", groups: Sequence[str]) -> None:
    axes.set_xticks(range(len(groups)), ["\n".join(textwrap.wrap(name, LABEL)) for name in groups], parse_math=False)
    axes.set_xlim(-0.6, len(groups) - 0.4)
    style_axes(axes, grid="y")
    axes.set_axisbelow(True)
    axes.tick_params(axis="x", length=0)


def plot_gap_bars(rows: Sequence[Mapping[str, Any]], path: StrPath) -> None:
    """Draw supervised minus zero-shot score in points, a panel per task, a group of bars per language (Figure 2)."""
    tasks, languages, objectives = _distinct(rows, *KEYS)
    figure = new_figure(1.4 + 3.0 * len(tasks), 3.4)
    panels = figure.subplots(1, len(tasks), squeeze=False)[0]
    shown = {}
    for task, axes in zip(tasks, panels, strict=True):
        for number, objective in enumerate(objectives):
            mine = [row for row in rows if (row["task"], row["objective"]) == (task, objective)]
            places = [languages.index(row["language"]) + _offset(number, len(objectives)) for row in mine]
            shown[objective] = _bars(axes, places, mine, number, len(objectives))
        axes.axhline(0, color=MUTED, linewidth=0.8)
        # parse_math: a name with two dollar signs is not a formula
        axes.set_xticks(range(len(languages)), languages, parse_math=False)
        _title(axes, task)
    panels[0].set_ylabel("supervised − zero-shot, points", color=INK, fontsize=9)
    draw_key(figure, shown.items())
    save(figure, path)


def plot_alignment(points: Sequence[Mapping[str, Any]], path: StrPath) -> None:
    """Draw the gap of each run against its alignment score, a panel per task (Figure 3)."""
    tasks, languages, objectives = _distinct(points, *KEYS)
    figure = new_figure(1.4 + 3.0 * len(tasks), 3.6)
    panels = figure.subplots(1, len(tasks), squeeze=False)[0]
    for task, axes in zip(tasks, panels, strict=True):
        for colour, objective in zip(cycle(COLOURS), objectives, strict=False):
            for marker, language in zip(cycle(MARKERS), languages, strict=False):
                wanted = (task, language, objective)
                mine = [point for point in points if tuple(point[key] for key in KEYS) == wanted]
                places = [[100 * point[key] for point in mine] for key in ("alignment", "gap")]
                axes.plot(*places, marker, color=colour, markersize=5, alpha=0.75)
        axes.set_xlabel("alignment score, %", color=INK, fontsize=9)
        _title(axes, task)
    panels[0].set_ylabel("supervised − zero-shot, points", color=INK, fontsize=9)
    # The meaning of each colour and each marker: lines without points.
    shown = []
    for colour, objective in zip(cycle(COLOURS), objectives, strict=False):
        shown += [(objective, line) for line in panels[0].plot([], [], "s", color=colour, label=objective)]
    for marker, language in zip(cycle(MARKERS), languages, strict=False):
        lines = panels[0].plot([], [], marker, color=MUTED, fillstyle="none", label=language)
        shown += [(language, line) for line in lines]
    draw_key(figure, shown)
    save(figure, path)


def _title(axes: "Axes", task: str) -> None:
    axes.set_title(task, color=INK, fontsize=10, loc="left", parse_math=False)
    style_axes(axes, grid="y")
    axes.set_axisbelow(True)
