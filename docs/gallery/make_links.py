"""Links of one English sentence with four translations by the packaged encoder, next to gold links."""

from pathlib import Path

import pictures
from sentences import TRANSLATIONS, aligner, pair

from xalign_fairseq.evaluation.plots.figure import new_figure, save
from xalign_fairseq.evaluation.plots.matrix import draw_frames_key, draw_gold, draw_scale, draw_values, draw_words
from xalign_fairseq.evaluation.plots.palette import INK

INPUTS = ("docs/gallery/sentences.py",)


def draw(path: Path) -> None:
    """A panel for each language."""
    figure = new_figure(8.6, 8.4)
    panels = list(figure.subplots(2, 2).flat)
    for axes, language in zip(panels, TRANSLATIONS, strict=True):
        src, tgt, gold = pair(language)
        [found] = aligner().align([src], [tgt])
        draw_words(axes, src, tgt, 10)
        draw_values(axes, found.links)
        draw_gold(axes, gold)
        axes.set_title(language, color=INK, fontsize=11, y=-0.12)
    draw_scale(panels, "link probability", fraction=0.03, pad=0.04, aspect=40, shrink=0.4)
    draw_frames_key(panels[0])
    save(figure, path)


if __name__ == "__main__":
    pictures.main(__file__, draw, INPUTS)
