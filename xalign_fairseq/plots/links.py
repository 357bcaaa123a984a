"""The link matrix of one sentence pair: source words down, target words across."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xalign_fairseq.plots.figure import ACCENT, GRID, INK, MUTED, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xalign_fairseq.links.pharaoh import Gold

CELL = 0.34  # inches
LONGEST_SIDE = 34.0  # inches, of the matrix; with more words the cells shrink
FONT_SIZE = 9.0  # points, for cells of full size
LONGEST_LABEL = 24


def plot_links(
    src: Sequence[str],
    tgt: Sequence[str],
    links: Mapping[tuple[int, int], float],
    path: str | os.PathLike,
    *,
    gold: "Gold | None" = None,
) -> None:
    """Draw the links of a pair as cells whose colour is their probability.

    Gold links are outlines: sure ones solid, possible ones dashed. A cell without an outline is a link too many, an
    outline without a cell is one that is missing.

    Args:
        src, tgt: the words.
        links: probability in [0, 1] of each link (i, j).
        path: file to write; its ending gives the format.
        gold: reference links.

    Errors: :class:`XalignError` without matplotlib or for an unknown ending.

    Example::

        plot_links(["red", "house"], ["maison", "rouge"], {(0, 1): 0.9, (1, 0): 0.8}, "links.png")
    """
    rows, columns = max(len(src), 1), max(len(tgt), 1)
    cell = min(CELL, LONGEST_SIDE / max(rows, columns))
    labels = cell / 4 * max([LONGEST_LABEL // 3, *(min(len(word), LONGEST_LABEL) for word in (*src, *tgt))])
    figure = new_figure(max(columns * cell + 1.2 + labels, 4.0), rows * cell + 1.2 + labels)
    axes = figure.add_subplot()
    _matrix_axes(axes, src, tgt, FONT_SIZE * cell / CELL)
    colours = _colours()
    for (i, j), probability in links.items():
        _cell(axes, i, j, facecolor=colours(_clip(probability)), edgecolor="white", linewidth=1)
    if gold is not None:
        for i, j in gold.possible:
            sure = (i, j) in gold.sure
            _cell(axes, i, j, fill=False, edgecolor=ACCENT, linewidth=1.8, linestyle="-" if sure else (0, (2, 1.4)))
    _legend(axes, colours, min(0.8, 3.0 / (columns * cell)), gold is not None)
    save(figure, path)


def _matrix_axes(axes: "Axes", src: Sequence[str], tgt: Sequence[str], font_size: float) -> None:
    rows, columns = max(len(src), 1), max(len(tgt), 1)
    axes.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), aspect="equal")
    axes.xaxis.tick_top()
    axes.set_xticks(range(len(tgt)), [_short(w) for w in tgt], rotation=60, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(len(src)), [_short(w) for w in src])
    for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
        # parse_math: a word with two dollar signs is no formula
        label.set(color=INK, fontsize=font_size, parse_math=False)
    axes.tick_params(length=0)
    axes.set_xticks([j - 0.5 for j in range(columns + 1)], minor=True)
    axes.set_yticks([i - 0.5 for i in range(rows + 1)], minor=True)
    axes.grid(which="minor", color=GRID, linewidth=0.7)
    axes.tick_params(which="minor", length=0)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_color(GRID)


def _cell(axes: "Axes", i: int, j: int, **style: Any) -> None:
    from matplotlib.patches import Rectangle

    inset = 0.07
    axes.add_patch(Rectangle((j - 0.5 + inset, i - 0.5 + inset), 1 - 2 * inset, 1 - 2 * inset, **style))


def _legend(axes: "Axes", colours: Any, length: float, with_gold: bool) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.patches import Patch

    bar = axes.figure.colorbar(
        ScalarMappable(cmap=colours),
        ax=axes, orientation="horizontal", location="bottom", fraction=0.05, pad=0.03, aspect=30, shrink=length,
    )  # fmt: skip
    bar.set_label("link probability", color=MUTED, fontsize=8)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=8, colors=MUTED, length=0)
    if with_gold:
        outlines = [
            Patch(fill=False, edgecolor=ACCENT, linewidth=1.8, label="gold, sure"),
            Patch(fill=False, edgecolor=ACCENT, linewidth=1.8, linestyle=(0, (2, 1.4)), label="gold, possible"),
        ]
        axes.figure.legend(
            handles=outlines, loc="outside lower center", ncols=2, frameon=False, fontsize=8, labelcolor=MUTED
        )


def _colours() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    # A faint cell is still a link: the scale starts well above white.
    return LinearSegmentedColormap.from_list("links", ["#c9dcf0", "#5b93c7", "#123f73"])


def _clip(probability: float) -> float:
    return min(max(probability, 0.0), 1.0)


def _short(word: str) -> str:
    return word if len(word) <= LONGEST_LABEL else word[: LONGEST_LABEL - 1] + "…"
