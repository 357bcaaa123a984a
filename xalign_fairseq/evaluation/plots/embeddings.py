"""Plots of linked words in two dimensions, from each encoder's input embeddings."""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.evaluation.plots import PROJECTIONS
from xalign_fairseq.evaluation.plots.figure import new_figure, save
from xalign_fairseq.evaluation.plots.palette import COLOURS, GRID, INK, MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SRC_COLOUR, TGT_COLOUR = COLOURS[:2]
PANEL = 5.2  # inches
COLUMNS = 3


@dataclass(frozen=True)
class Panel:
    """One encoder: title, vectors (N, H) of each pair's words, and one of :data:`PROJECTIONS`."""

    title: str
    src: np.ndarray
    tgt: np.ndarray
    by: str = "PCA"


def plane(vectors: np.ndarray) -> tuple[np.ndarray, float]:
    """Principal components: (N, H) to coordinates (N, 2), and the share of the variance that they keep."""
    centred = vectors - vectors.mean(0)
    _, lengths, axes = np.linalg.svd(centred, full_matrices=False)
    # The sign of an axis is arbitrary: make its largest entry positive.
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(1)])[:, None]
    coordinates = np.zeros((len(vectors), 2))
    coordinates[:, : min(2, len(axes))] = centred @ axes[:2].T
    whole = float((lengths**2).sum())
    return coordinates, float((lengths[:2] ** 2).sum()) / whole if whole else 1.0


def neighbourhoods(vectors: np.ndarray) -> np.ndarray:
    """t-SNE (van der Maaten & Hinton, 2008): (N, H) to coordinates (N, 2), deterministic."""
    if importlib.util.find_spec("sklearn") is None:
        raise XalignError("t-SNE needs scikit-learn", remedy="pip install scikit-learn")
    from sklearn.manifold import TSNE

    perplexity = max(1.0, min(10.0, len(vectors) / 5))
    return TSNE(perplexity=perplexity, init="pca", random_state=0).fit_transform(vectors).astype(np.float64)


def project(panel: Panel) -> tuple[np.ndarray, str]:
    """Coordinates (2 N, 2) of a panel's source words, then of its target words, and a caption."""
    vectors = np.concatenate([panel.src, panel.tgt]).astype(np.float64)
    if panel.by not in PROJECTIONS:
        raise XalignError("unknown projection", found=panel.by, expected=" or ".join(PROJECTIONS))
    if panel.by == "t-SNE":
        return neighbourhoods(vectors), "t-SNE"
    points, kept = plane(vectors)
    return points, f"{100 * kept:.0f} % of the variance"


def plot_embeddings(pairs: Sequence[tuple[str, str]], panels: Sequence[Panel], path: StrPath) -> None:
    """Draw the words of each panel in its own plane, with a dotted line between the words of a pair."""
    columns = 2 if len(panels) == 4 else min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(columns * PANEL, rows * PANEL + 0.4)
    planes = [project(panel) for panel in panels]
    for number, (panel, (points, note)) in enumerate(zip(panels, planes, strict=True), 1):
        alike = np.where((points * planes[0][0]).sum(0) < 0, -1, 1)  # so that no panel mirrors the first
        _draw(figure.add_subplot(rows, columns, number), f"{panel.title}\n{note}", pairs, points * alike)
    marks = [
        figure.axes[0].scatter([], [], color=colour, s=16, label=label)
        for colour, label in ((SRC_COLOUR, "source"), (TGT_COLOUR, "target"))
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=2, frameon=False, fontsize=9, labelcolor=INK)
    save(figure, path)


def _draw(axes: "Axes", title: str, pairs: Sequence[tuple[str, str]], points: np.ndarray) -> None:
    src, tgt = points[: len(pairs)], points[len(pairs) :]
    edge = points[:, 0].min() + 0.85 * np.ptp(points[:, 0])  # words further right would cross the frame
    for first, second in zip(src, tgt, strict=True):
        axes.plot(*zip(first, second, strict=True), color=MUTED, linewidth=0.9, linestyle=":", zorder=1)
    for side, places, others, colour in ((0, src, tgt, SRC_COLOUR), (1, tgt, src, TGT_COLOUR)):
        axes.scatter(places[:, 0], places[:, 1], color=colour, s=16, zorder=2)
        # A word in several pairs is written once.
        written = {pair[side]: (place, other) for pair, place, other in zip(pairs, places, others, strict=True)}
        for word, (place, other) in written.items():
            # Above the higher point of a pair, below the lower one: translations are near each other.
            above = place[1] > other[1] or (side == 0 and place[1] == other[1])
            left = place[0] > edge
            axes.annotate(
                word,
                place,
                xytext=(-3 if left else 3, 3 if above else -9),
                textcoords="offset points",
                ha="right" if left else "left",
                color=colour,
                fontsize=8,
                parse_math=False,  # a word with two dollar signs is not a formula
            )
    axes.set_title(title, color=INK, fontsize=9, parse_math=False)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.12)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color(GRID)
