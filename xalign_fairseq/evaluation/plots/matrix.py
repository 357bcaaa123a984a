"""A matrix of words: source words down, target words across, cells coloured by a number from 0 to 1."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.evaluation.plots.figure import new_figure, save
from xalign_fairseq.evaluation.plots.palette import ACCENT, GRID, INK, MUTED, PAPER, SCALE, shade

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xalign_fairseq.links.pharaoh import Gold

FONT_SIZE = 9.0
LONGEST_LABEL = 60
FRAME: dict[str, Any] = {"fill": False, "edgecolor": ACCENT, "linewidth": 1.8}
DASHED = (0, (2, 1.4))


def draw_words(axes: "Axes", src: Sequence[str], tgt: Sequence[str], font_size: float = FONT_SIZE) -> None:
    """An empty matrix: words, and lines between the cells."""
    rows, columns = max(len(src), 1), max(len(tgt), 1)
    axes.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), aspect="equal")
    axes.xaxis.tick_top()
    axes.set_xticks(range(len(tgt)), [_short(w) for w in tgt], rotation=60, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(len(src)), [_short(w) for w in src])
    for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
        # parse_math: a word with two dollar signs is not a formula
        label.set(color=INK, fontsize=font_size, parse_math=False)
    axes.tick_params(length=0)
    axes.set_xticks([j - 0.5 for j in range(columns + 1)], minor=True)
    axes.set_yticks([i - 0.5 for i in range(rows + 1)], minor=True)
    axes.grid(which="minor", color=GRID, linewidth=0.7)
    axes.tick_params(which="minor", length=0)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_color(GRID)


def draw_values(axes: "Axes", values: Mapping[tuple[int, int], float]) -> None:
    """A filled cell for each number, clamped to [0, 1]."""
    for (i, j), value in values.items():
        draw_cell(axes, i, j, facecolor=shade(value), edgecolor=PAPER, linewidth=1)


def draw_gold(axes: "Axes", gold: "Gold") -> None:
    """A frame around each gold link, solid for sure links, otherwise dashed."""
    for i, j in sorted(gold.possible):
        draw_cell(axes, i, j, **FRAME, linestyle="-" if (i, j) in gold.sure else DASHED)


def draw_cell(axes: "Axes", i: int, j: int, **style: Any) -> None:
    """A rectangle a little smaller than the cell (i, j)."""
    from matplotlib.patches import Rectangle

    inset = 0.07
    axes.add_patch(Rectangle((j - 0.5 + inset, i - 0.5 + inset), 1 - 2 * inset, 1 - 2 * inset, **style))


def draw_scale(axes: "Axes | Sequence[Axes]", label: str, **place: Any) -> None:
    """The legend of the colours, below the axes; ``place`` goes to matplotlib's ``colorbar``."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap

    figure = (axes[0] if isinstance(axes, Sequence) else axes).figure
    bar = figure.colorbar(ScalarMappable(cmap=ListedColormap(SCALE)), ax=axes, location="bottom", **place)
    bar.set_label(label, color=MUTED, fontsize=8)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=8, colors=MUTED, length=0)


def draw_frames_key(axes: "Axes") -> None:
    """The legend of the frames, at the foot of the figure."""
    from matplotlib.patches import Patch

    outlines = [Patch(**FRAME, label="gold, sure"), Patch(**FRAME, linestyle=DASHED, label="gold, possible")]
    axes.figure.legend(
        handles=outlines, loc="outside lower center", ncols=2, frameon=False, fontsize=8, labelcolor=MUTED
    )


def _short(word: str) -> str:
    return word if len(word) <= LONGEST_LABEL else word[: LONGEST_LABEL - 1] + "…"


CELL = 0.34  # inches
LONGEST_SIDE = 34.0  # inches, of the matrix; more words make smaller cells
FEWEST_LETTERS = 8  # words whose labels fit


def plot_links(
    src: Sequence[str],
    tgt: Sequence[str],
    links: Mapping[tuple[int, int], float],
    path: StrPath,
    *,
    gold: "Gold | None" = None,
) -> None:
    """Draw a pair's links as cells coloured by probability, its gold links as outlines (possible ones dashed)."""
    rows, columns = max(len(src), 1), max(len(tgt), 1)
    cell = min(CELL, LONGEST_SIDE / max(rows, columns))
    labels = cell / 4 * max([FEWEST_LETTERS, *(min(len(word), LONGEST_LABEL) for word in (*src, *tgt))])
    figure = new_figure(max(columns * cell + 1.2 + labels, 4.0), rows * cell + 1.2 + labels)
    axes = figure.add_subplot()
    draw_words(axes, src, tgt, FONT_SIZE * cell / CELL)
    draw_values(axes, links)
    length = min(0.8, 3.0 / (columns * cell))
    draw_scale(axes, "link probability", fraction=0.05, pad=0.03, aspect=30, shrink=length)
    if gold is not None:
        draw_gold(axes, gold)
        draw_frames_key(axes)
    save(figure, path, fit=True)
