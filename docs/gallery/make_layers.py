"""AER over layers: of the packaged encoder by method, and of encoders trained here by what they were trained on."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pictures

from xalign_fairseq.evaluation.plots.figure import new_figure, save, style_axes
from xalign_fairseq.evaluation.plots.palette import COLOURS, INK, MARKERS, MUTED

PACKAGED = "scripts/results/defaults-e5-small.json"
NAMES = {
    "ro-en-links": "with links",
    "ro-en-links-60min": "with links, again",
    "ro-en-scratch": "without links",
    "ro-en-scratch-60min": "without links, again",
}
INPUTS = (PACKAGED, *(f"examples/xlm_align/small/results/{name}.json" for name in NAMES))
METHODS = ("grow", "softmax", "argmax", "transport", "itermax", "match")


def draw(path: Path) -> None:
    """A panel for each kind of encoder."""
    packaged, *trained = (json.loads((pictures.ROOT / name).read_text()) for name in INPUTS)
    figure = new_figure(11.0, 4.6)
    left, right = figure.subplots(1, 2)
    for number, (name, curve) in enumerate(by_method(packaged["rows"]).items()):
        draw_curve(left, number, name, curve)
    left.set_title(f"e5-small, mean of {len(packaged['sets'])} development sets", color=INK, fontsize=10)
    for number, run in enumerate(trained):
        here = run["pairs"]["ro-en"]
        rows = [row for row in here["all"] if row["method"] == "argmax"]
        name = NAMES[run["name"]]
        draw_curve(right, number, name, {row["layer"]: row["aer"] for row in rows if row["similarity"] == "hidden"})
        for row in rows:
            if row["similarity"] == "pointer":
                look = {"color": COLOURS[number], "marker": MARKERS[number], "markerfacecolor": "none"}
                right.plot(row["layer"], 100 * row["aer"], markersize=10, linestyle="none", **look)
    right.plot([], [], marker="o", markersize=10, markerfacecolor="none", color=MUTED, linestyle="none",
               label="the pointer, at its layer")  # fmt: skip
    right.axhline(100 * here["eflomal"]["aer"], color=MUTED, linestyle="--", linewidth=1, label="eflomal")
    right.set_title("three layers trained from nothing, ro-en test set", color=INK, fontsize=10)
    for axes in (left, right):
        axes.set_xlabel("layer (0: embeddings)", color=INK)
        axes.set_ylabel("AER in % (lower is better)", color=INK)
        axes.xaxis.get_major_locator().set_params(integer=True)
        style_axes(axes, grid="y")
        place = "upper center" if axes is left else (0.02, 0.17)
        axes.legend(loc=place, frameon=False, fontsize=8, labelcolor=INK)
    right.set_ylim(25, 92)
    save(figure, path)


def by_method(rows: list[dict[str, Any]]) -> dict[str, dict[int, float]]:
    """The best AER of each method at each layer, sides encoded by themselves."""
    curves: dict[str, dict[int, float]] = defaultdict(dict)
    for row in rows:
        if row["encoding"] == "separate" and len(row["layers"]) == 1 and row["method"] in METHODS:
            [layer] = row["layers"]
            curves[row["method"]][layer] = min(row["aer"], curves[row["method"]].get(layer, 1.0))
    return {name: curves[name] for name in METHODS}


def draw_curve(axes, number: int, name: str, curve: dict[int, float]) -> None:
    """A line, with its lowest point larger and in the legend."""
    layers = sorted(curve)
    best = min(layers, key=curve.get)
    look = {"color": COLOURS[number], "marker": MARKERS[number]}
    label = f"{name}: {100 * curve[best]:.1f} at layer {best}"
    axes.plot(layers, [100 * curve[layer] for layer in layers], markersize=4, linewidth=1.5, label=label, **look)
    axes.plot(best, 100 * curve[best], markersize=8, **look)


if __name__ == "__main__":
    pictures.main(__file__, draw, INPUTS)
