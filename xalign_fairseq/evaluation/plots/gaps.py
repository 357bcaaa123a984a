"""Zero-shot gaps: bars for each language and objective, and gaps against alignment scores (Tang et al. 2022)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.evaluation.plots.figure import draw_key, new_figure, save, style_axes
from xalign_fairseq.evaluation.plots.palette import COLOURS, INK, MARKERS, MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUP = 0.8  # of the distance between two languages, filled by their bars
KEYS = ("task", "language", "objective")


def _distinct(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return [list(dict.fromkeys(row[key] for row in rows)) for key in KEYS]


def plot_gap_bars(rows: Sequence[Mapping[str, Any]], path: StrPath) -> None:
    """Draw supervised minus zero-shot score in points, a panel per task, a group of bars per language (Figure 2).

    Args:
        rows: mappings with ``task``, ``language``, ``objective``, ``mean`` and ``deviation`` (fractions, or ``None``).
        path: file to write; its ending gives the format.
    """
    tasks, languages, objectives = _distinct(rows)
    figure = new_figure(1.4 + 3.0 * len(tasks), 3.4)
    panels = figure.subplots(1, len(tasks), squeeze=False)[0]
    width = GROUP / len(objectives)
    shown = {}
    for task, axes in zip(tasks, panels, strict=True):
        for number, objective in enumerate(objectives):
            mine = [row for row in rows if (row["task"], row["objective"]) == (task, objective)]
            places = [languages.index(row["language"]) - GROUP / 2 + width * (number + 0.5) for row in mine]
            heights = [100 * row["mean"] for row in mine]
            colour = COLOURS[number % len(COLOURS)]
            shown[objective] = axes.bar(places, heights, 0.92 * width, color=colour, label=objective)
            spread = [100 * (row["deviation"] or 0) for row in mine]
            axes.errorbar(places, heights, spread, fmt="none", ecolor=INK, elinewidth=1.2, capsize=2)
        axes.axhline(0, color=MUTED, linewidth=0.8)
        # parse_math: a name with two dollar signs is not a formula
        axes.set_xticks(range(len(languages)), languages, parse_math=False)
        _finish(axes, task)
    panels[0].set_ylabel("supervised − zero-shot, points", color=INK, fontsize=9)
    draw_key(figure, shown.items(), columns=4)
    save(figure, path)


def plot_alignment(points: Sequence[Mapping[str, Any]], path: StrPath) -> None:
    """Draw the gap of each run against its alignment score, a panel per task (Figure 3).

    Args:
        points: mappings with ``task``, ``objective`` (its colour), ``language`` (its marker), ``alignment`` and ``gap``
            (fractions).
        path: file to write; its ending gives the format.
    """
    tasks, languages, objectives = _distinct(points)
    figure = new_figure(1.4 + 3.0 * len(tasks), 3.6)
    panels = figure.subplots(1, len(tasks), squeeze=False)[0]
    for task, axes in zip(tasks, panels, strict=True):
        for colour, objective in zip(_again(COLOURS, objectives), objectives, strict=True):
            for marker, language in zip(_again(MARKERS, languages), languages, strict=True):
                wanted = (task, language, objective)
                mine = [point for point in points if tuple(point[key] for key in KEYS) == wanted]
                places = [[100 * point[key] for point in mine] for key in ("alignment", "gap")]
                axes.plot(*places, marker, color=colour, markersize=5, alpha=0.75)
        axes.set_xlabel("alignment score, %", color=INK, fontsize=9)
        _finish(axes, task)
    panels[0].set_ylabel("supervised − zero-shot, points", color=INK, fontsize=9)
    # The meaning of each colour and each marker: lines without points.
    shown = []
    for colour, objective in zip(_again(COLOURS, objectives), objectives, strict=True):
        shown += [(objective, line) for line in panels[0].plot([], [], "s", color=colour, label=objective)]
    for marker, language in zip(_again(MARKERS, languages), languages, strict=True):
        lines = panels[0].plot([], [], marker, color=MUTED, fillstyle="none", label=language)
        shown += [(language, line) for line in lines]
    draw_key(figure, shown, columns=4)
    save(figure, path)


def _again(looks: Sequence[str], names: Sequence[str]) -> list[str]:
    """A style for each name; they repeat if there are more names."""
    return [looks[number % len(looks)] for number in range(len(names))]


def _finish(axes: "Axes", task: str) -> None:
    axes.set_title(task, color=INK, fontsize=10, loc="left", parse_math=False)
    style_axes(axes, grid="y")
    axes.set_axisbelow(True)
