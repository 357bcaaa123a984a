"""The transport plan as its entropy gets less weight, and with a dustbin for words without a partner."""

from pathlib import Path

import pictures
from sentences import pair, similarities
from torch import Tensor

from xalign_fairseq import sinkhorn
from xalign_fairseq.evaluation.plots.figure import new_figure, save
from xalign_fairseq.evaluation.plots.matrix import draw_scale, draw_values, draw_words
from xalign_fairseq.evaluation.plots.palette import INK, MUTED
from xalign_fairseq.transport.options import SinkhornOptions
from xalign_fairseq.transport.unbalanced import dustbin_plan

INPUTS = ("docs/gallery/sentences.py",)
LANGUAGE = "French"
MUS = (1.0, 0.3, 0.1)
DUSTBINS = (0.1, 0.3, 0.5)


def draw(path: Path) -> None:
    """Plans over mu above, plans over the dustbin's score below."""
    src, tgt, _ = pair(LANGUAGE)
    similarity, src_mask, tgt_mask = similarities(LANGUAGE)
    figure = new_figure(13.2, 9.8)
    panels = figure.subplots(2, 3)
    for axes, mu in zip(panels[0], MUS, strict=True):
        plan = sinkhorn(similarity, src_mask, tgt_mask, SinkhornOptions(mu=mu, iterations=20))[0]
        draw_plan(axes, src, tgt, plan, f"μ = {mu}")
    for axes, dustbin in zip(panels[1], DUSTBINS, strict=True):
        plan = dustbin_plan(similarity, src_mask, tgt_mask, dustbin, mu=0.1, iterations=50)[0]
        plan[-1, -1] = 0  # what neither dustbin needs is between the two
        draw_plan(axes, [*src, "∅"], [*tgt, "∅"], plan, f"dustbin of score {dustbin}, μ = 0.1")
        for place in (axes.axhline, axes.axvline):
            place((len(src) if place == axes.axhline else len(tgt)) - 0.5, color=MUTED, linewidth=1)
    draw_scale(list(panels.flat), "mass", fraction=0.025, pad=0.03, aspect=40, shrink=0.3)
    save(figure, path)


def draw_plan(axes, src: list[str], tgt: list[str], plan: Tensor, title: str) -> None:
    """Every cell that has a hundredth of a word's mass."""
    draw_words(axes, src, tgt, 10)
    draw_values(axes, {(i, j): plan[i, j].item() for i, j in (plan > 0.01).nonzero().tolist()})
    axes.set_title(title, color=INK, fontsize=11, y=-0.1)


if __name__ == "__main__":
    pictures.main(__file__, draw, INPUTS)
