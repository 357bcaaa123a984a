"""The transport plan as its entropy gets less weight."""

from pathlib import Path

import pictures
from sentences import pair, similarities
from torch import Tensor

from xalign_fairseq import sinkhorn
from xalign_fairseq.evaluation.plots.figure import new_figure, save
from xalign_fairseq.evaluation.plots.matrix import draw_scale, draw_values, draw_words
from xalign_fairseq.evaluation.plots.palette import INK
from xalign_fairseq.transport.options import SinkhornOptions

INPUTS = ("docs/gallery/sentences.py",)
LANGUAGE = "French"
MUS = (1.0, 0.3, 0.1)


def draw(path: Path) -> None:
    """Plans over mu."""
    src, tgt, _ = pair(LANGUAGE)
    similarity, src_mask, tgt_mask = similarities(LANGUAGE)
    figure = new_figure(13.2, 4.9)
    panels = figure.subplots(1, 3)
    for axes, mu in zip(panels, MUS, strict=True):
        plan = sinkhorn(similarity, src_mask, tgt_mask, SinkhornOptions(mu=mu, iterations=20))[0]
        draw_plan(axes, src, tgt, plan, f"μ = {mu}")
    draw_scale(list(panels), "mass", fraction=0.025, pad=0.03, aspect=40, shrink=0.6)
    save(figure, path)


def draw_plan(axes, src: list[str], tgt: list[str], plan: Tensor, title: str) -> None:
    """Every cell that has a hundredth of a word's mass."""
    draw_words(axes, src, tgt, 10)
    draw_values(axes, {(i, j): plan[i, j].item() for i, j in (plan > 0.01).nonzero().tolist()})
    axes.set_title(title, color=INK, fontsize=11, y=-0.1)


if __name__ == "__main__":
    pictures.main(__file__, draw, INPUTS)
