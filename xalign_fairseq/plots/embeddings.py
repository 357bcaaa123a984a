"""Linked words in the plane: where each encoder has the input embeddings of translations."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xalign_fairseq.plots.figure import new_figure, save
from xalign_fairseq.plots.palette import COLOURS, GRID, INK, MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SRC_COLOUR, TGT_COLOUR = COLOURS[:2]
PANEL = 5.2  # inches
COLUMNS = 3


@dataclass(frozen=True)
class Panel:
    """One encoder: its title, and the vectors (N, H) of the source and of the target word of each pair."""

    title: str
    src: np.ndarray
    tgt: np.ndarray


def plane(vectors: np.ndarray) -> tuple[np.ndarray, float]:
    """Principal components: (N, H) to coordinates (N, 2), and the share of the variance that they keep.

    t-SNE, which WEAM's Figure 2 shows, keeps neighbourhoods, while a plane keeps distances as far as two dimensions
    can; it has no chance in it and nothing to tune.

    Example::

        plane(np.array([[0.0, 3.0], [0.0, -3.0]]))  # [[3, 0], [-3, 0]] and 1.0
    """
    centred = vectors - vectors.mean(0)
    _, lengths, axes = np.linalg.svd(centred, full_matrices=False)
    # An axis has no direction of its own: its largest entry is made positive.
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(1)])[:, None]
    coordinates = np.zeros((len(vectors), 2))
    coordinates[:, : min(2, len(axes))] = centred @ axes[:2].T
    whole = float((lengths**2).sum())
    return coordinates, float((lengths[:2] ** 2).sum()) / whole if whole else 1.0


def plot_embeddings(pairs: Sequence[tuple[str, str]], panels: Sequence[Panel], path: str | os.PathLike) -> None:
    """Draw the words of each panel by two principal components of its own, a dotted line between the words of a pair.

    Args:
        pairs: source and target word of each pair, in the order of the panels' vectors.
        panels: at least one.
        path: file to write; its ending gives the format.

    Errors: :class:`XalignError` without matplotlib or for an unknown ending.

    Example::

        plot_embeddings([("today", "heute")], [Panel("before", src, tgt)], "embeddings.png")
    """
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(columns * PANEL, rows * PANEL + 0.4)
    planes = [plane(np.concatenate([panel.src, panel.tgt]).astype(np.float64)) for panel in panels]
    for number, (panel, (points, kept)) in enumerate(zip(panels, planes, strict=True), 1):
        alike = np.where((points * planes[0][0]).sum(0) < 0, -1, 1)  # no panel is the mirror image of the first
        title = f"{panel.title}\n{100 * kept:.0f} % of the variance"
        _draw(figure.add_subplot(rows, columns, number), title, pairs, points * alike)
    marks = [
        figure.axes[0].scatter([], [], color=colour, s=16, label=label)
        for colour, label in ((SRC_COLOUR, "source"), (TGT_COLOUR, "target"))
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=2, frameon=False, fontsize=9, labelcolor=INK)
    save(figure, path)


def _draw(axes: "Axes", title: str, pairs: Sequence[tuple[str, str]], points: np.ndarray) -> None:
    src, tgt = points[: len(pairs)], points[len(pairs) :]
    for first, second in zip(src, tgt, strict=True):
        axes.plot(*zip(first, second, strict=True), color=MUTED, linewidth=0.9, linestyle=":", zorder=1)
    for side, places, colour in ((0, src, SRC_COLOUR), (1, tgt, TGT_COLOUR)):
        axes.scatter(places[:, 0], places[:, 1], color=colour, s=16, zorder=2)
        # A word of several pairs stands at one place and is written once.
        for word, place in {pair[side]: place for pair, place in zip(pairs, places, strict=True)}.items():
            # parse_math: a word with two dollar signs is no formula
            axes.annotate(
                word, place, xytext=(3, 3), textcoords="offset points", color=colour, fontsize=8, parse_math=False
            )
    axes.set_title(title, color=INK, fontsize=9, parse_math=False)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.12)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color(GRID)
