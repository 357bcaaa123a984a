"""AER over the layers of an encoder, one line per curve."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.evaluation.plots.figure import draw_key, new_figure, save, style_axes
from xalign_fairseq.evaluation.plots.palette import COLOURS, INK, MARKERS

Curves: TypeAlias = Mapping[str, Sequence[tuple[int, float]]]


def plot_layers(curves: Curves, path: StrPath) -> None:
    """Draw AER in percent over layers, the lowest of each curve marked (Chi et al. 2021, Figure 2)."""
    figure = new_figure(6.4, 3.8 + 0.2 * max(0, (len(curves) - 3) // 2))
    axes = figure.add_subplot()
    shown = {}
    for number, (name, points) in enumerate(curves.items()):
        layers, errors = zip(*sorted((layer, 100 * aer) for layer, aer in points), strict=True)
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        lowest, best = min(zip(errors, layers, strict=True))
        label = f"{name}: {lowest:.1f} at layer {best}"
        [shown[label]] = axes.plot(
            layers, errors, color=colour, marker=marker, markersize=4.5, linewidth=1.6, label=label
        )
        axes.plot(best, lowest, color=colour, marker=marker, markersize=9)
    axes.set_xticks(sorted({layer for points in curves.values() for layer, _ in points}))
    axes.margins(y=0.1)
    axes.set_xlabel("layer (0: embeddings)", color=INK)
    axes.set_ylabel("AER in % (lower is better)", color=INK)
    style_axes(axes, grid="y")
    draw_key(figure, shown.items(), columns=2)
    save(figure, path)
