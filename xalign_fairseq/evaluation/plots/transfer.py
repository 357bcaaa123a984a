"""Zero-shot transfer: the average score of each task and checkpoint, and how far each language is behind English."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.evaluation.plots.figure import draw_key, new_figure, save, style_axes
from xalign_fairseq.evaluation.plots.palette import COLOURS, INK, MARKERS, MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUP = 0.8  # of the distance between two groups, filled by their bars or points
WIDE = 7.0  # inches; panels of wider figures are stacked
LABEL = 15  # characters of a line below a group, which has room for 1.2 inches


def plot_scores(rows: Sequence[Mapping[str, Any]], path: StrPath) -> None:
    """Draw a bar for each task and checkpoint, in percent, with the deviation over seeds where it is known.

    Args:
        rows: mappings with ``task``, ``checkpoint``, ``mean`` and ``deviation`` (fractions, or ``None``).
        path: file to write; its ending gives the format.
    """
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    checkpoints = list(dict.fromkeys(row["checkpoint"] for row in rows))
    figure = new_figure(max(4.8, 1.0 + len(tasks) * max(1.2, 0.26 * (len(checkpoints) + 1))), 3.8)
    axes = figure.add_subplot()
    width = GROUP / len(checkpoints)
    shown = {}
    for number, checkpoint in enumerate(checkpoints):
        mine = [row for row in rows if row["checkpoint"] == checkpoint]
        places = [tasks.index(row["task"]) + _offset(number, len(checkpoints)) for row in mine]
        heights = [100 * row["mean"] for row in mine]
        shown[checkpoint] = axes.bar(
            places,
            heights,
            0.92 * width,
            color=COLOURS[number % len(COLOURS)],
            label=checkpoint,
            alpha=_strength(number),
        )
        _error_bars(axes, places, mine, INK)
    axes.set_ylabel("average over languages, %", color=INK)
    axes.set_ylim(bottom=0)
    _finish(axes, tasks)
    draw_key(figure, shown.items(), columns=4)
    save(figure, path)


def plot_gaps(rows: Sequence[Mapping[str, Any]], path: StrPath) -> None:
    """Draw English minus each language, in points, a panel per task and a colour per checkpoint.

    Args:
        rows: mappings with ``task``, ``checkpoint``, ``language``, ``mean`` and ``deviation`` (fractions, or ``None``).
        path: file to write; its ending gives the format.
    """
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    checkpoints = list(dict.fromkeys(row["checkpoint"] for row in rows))
    widest = max(len({row["language"] for row in rows if row["task"] == task}) for task in tasks)
    width = max(4.8, 1.6 + 0.18 * widest * (len(checkpoints) + 1))
    columns = 2 if len(tasks) > 2 and width < WIDE else 1
    rows_of_panels = -(-len(tasks) // columns)
    figure = new_figure(columns * width, 0.6 + 2.4 * rows_of_panels)
    shown = {}
    for panel, task in enumerate(tasks, 1):
        axes = figure.add_subplot(rows_of_panels, columns, panel)
        languages = list(dict.fromkeys(row["language"] for row in rows if row["task"] == task))
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
        axes.set_title(task.replace("$", r"\$"), color=INK, fontsize=10, loc="left")
        axes.set_ylabel("gap to English, points", color=INK, fontsize=9)
        _finish(axes, languages)
    draw_key(figure, shown.items(), columns=4)
    save(figure, path)


def _offset(number: int, count: int) -> float:
    """The offset to the right of a checkpoint's bar or point from its group's middle."""
    return GROUP * ((number + 0.5) / count - 0.5)


def _strength(number: int) -> float:
    """Opacity: repeated colours are fainter."""
    return 0.6 ** (number // len(COLOURS))


def _error_bars(axes: "Axes", places: Sequence[float], rows: Sequence[Mapping[str, Any]], colour: str) -> None:
    """Deviations; none where there was one run."""
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
    axes.set_xticks(range(len(groups)), ["\n".join(textwrap.wrap(name, LABEL)).replace("$", r"\$") for name in groups])
    axes.set_xlim(-0.6, len(groups) - 0.4)
    style_axes(axes, grid="y")
    axes.set_axisbelow(True)
    axes.tick_params(axis="x", length=0)
