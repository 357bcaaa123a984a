"""AER over the layers of an encoder, a line per method."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from xalign_fairseq.plots.figure import GRID, INK, MUTED, new_figure, save

COLOURS = ("#123f73", "#c2410c", "#2f855a", "#6b46c1")
MARKERS = ("o", "s", "^", "D")


def plot_layers(rows: Sequence[Mapping[str, Any]], path: str | os.PathLike) -> None:
    """Draw AER in percent (lower is better) over layers, with the lowest of each method marked.

    Args:
        rows: mappings with ``layer``, ``method`` and ``aer`` (a fraction).
        path: file to write; its ending gives the format.

    Example::

        plot_layers([{"layer": 1, "method": "argmax", "aer": 0.31}], "layers.png")
    """
    figure = new_figure(6.4, 3.8)
    axes = figure.add_subplot()
    for number, method in enumerate(dict.fromkeys(row["method"] for row in rows)):
        points = sorted((row["layer"], 100 * row["aer"]) for row in rows if row["method"] == method)
        layers, errors = zip(*points, strict=True)
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        best, lowest = min(points, key=lambda point: point[1])
        label = f"{method}: {lowest:.1f} at layer {best}"
        axes.plot(layers, errors, color=colour, marker=marker, markersize=5, linewidth=1.6, label=label)
        axes.plot(best, lowest, color=colour, marker=marker, markersize=9)
    axes.set_xticks(sorted({row["layer"] for row in rows}))
    axes.margins(y=0.1)
    axes.set_xlabel("layer (0: embeddings)", color=INK)
    axes.set_ylabel("AER in % (lower is better)", color=INK)
    axes.grid(axis="y", color=GRID, linewidth=0.7)
    axes.tick_params(colors=MUTED, labelsize=9)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(GRID)
    axes.figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9, labelcolor=INK)
    save(figure, path)
