"""The link matrix of one sentence pair: source words down, target words across."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.evaluation.plots.figure import new_figure, save
from xalign_fairseq.evaluation.plots.matrix import (
    FONT_SIZE,
    LONGEST_LABEL,
    draw_frames_key,
    draw_gold,
    draw_scale,
    draw_values,
    draw_words,
)

if TYPE_CHECKING:
    from xalign_fairseq.links.pharaoh import Gold

CELL = 0.34  # inches
LONGEST_SIDE = 34.0  # inches, of the matrix; with more words the cells shrink
FEWEST_LETTERS = 8  # that labels have room for


def plot_links(
    src: Sequence[str],
    tgt: Sequence[str],
    links: Mapping[tuple[int, int], float],
    path: StrPath,
    *,
    gold: "Gold | None" = None,
) -> None:
    """Draw the links of a pair as cells whose colour is their probability.

    Gold links are outlines: sure ones solid, possible ones dashed. A cell without an outline is a wrong link; an
    outline without a cell is a missing link.
    """
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
