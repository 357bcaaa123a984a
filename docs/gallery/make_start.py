"""README's picture: links of an English sentence with its French translation by the default of `xalign align`."""

from pathlib import Path

import pictures
from sentences import pair

from xalign_fairseq import Aligner
from xalign_fairseq.evaluation.plots.figure import new_figure, save
from xalign_fairseq.evaluation.plots.matrix import draw_frames_key, draw_gold, draw_scale, draw_values, draw_words

INPUTS = ("docs/gallery/sentences.py", "xalign_fairseq/transport/e5_small_scorer.npz")


def draw(path: Path) -> None:
    """The links of the default, in float32, which is the same on every machine, next to gold links."""
    src, tgt, gold = pair("French")
    [found] = Aligner.from_pretrained("e5-small", dtype="float32", device="cpu").stream([(src, tgt)])
    figure = new_figure(6.0, 5.6)
    axes = figure.subplots()
    draw_words(axes, src, tgt, 11)
    draw_values(axes, found.links)
    draw_gold(axes, gold)
    draw_scale([axes], "link probability", fraction=0.04, pad=0.03, aspect=40, shrink=0.8)
    draw_frames_key(axes)
    save(figure, path)


if __name__ == "__main__":
    pictures.main(__file__, draw, INPUTS)
