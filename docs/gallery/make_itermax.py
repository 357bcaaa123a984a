"""Itermax step by step: the scores of each round, the links that it adds, and the result next to gold links."""

from pathlib import Path

import pictures
import torch
from sentences import pair, similarities
from torch import Tensor

from xalign_fairseq import sinkhorn
from xalign_fairseq.evaluation.plots.figure import new_figure, save
from xalign_fairseq.evaluation.plots.matrix import draw_frames_key, draw_gold, draw_scale, draw_values, draw_words
from xalign_fairseq.evaluation.plots.palette import ACCENT, INK, MUTED
from xalign_fairseq.transport.extraction import find_links, link_probability

INPUTS = ("docs/gallery/sentences.py",)
LANGUAGE, ALPHA = "Chinese", 0.9
ROUNDS = (
    "Round 1: words that are each other's best",
    "Round 2: two free words count in full, one that is free\nand one that is not at 0.9, two linked ones not at all",
)


def draw(path: Path) -> None:
    """A panel for each of two rounds, and one for the links."""
    src, tgt, gold = pair(LANGUAGE)
    similarity, src_mask, tgt_mask = similarities(LANGUAGE)
    plan = sinkhorn(similarity, src_mask, tgt_mask)
    probability = link_probability(plan)[0]
    figure = new_figure(12.6, 5.0)
    panels = list(figure.subplots(1, 3))
    before = torch.zeros_like(probability, dtype=torch.bool)
    for number, (axes, title) in enumerate(zip(panels, ROUNDS, strict=False), 1):
        links = find_links(plan, src_mask, tgt_mask, filter="itermax", rounds=number, alpha=ALPHA)[0]
        seen = probability * weights(before)
        draw_words(axes, src, tgt, 11)
        draw_values(axes, {(i, j): seen[i, j].item() for i, j in (seen > 0.02).nonzero().tolist()})
        for cells, colour in ((links & ~before, ACCENT), (before, MUTED)):
            places = cells.nonzero().T.tolist()
            axes.scatter(places[1], places[0], s=42, color=colour, zorder=3, linewidths=0)
        axes.set_xlabel(f"{title}\n{int((links & ~before).sum())} links are new", color=INK, fontsize=9)
        before = links
    draw_words(panels[-1], src, tgt, 11)
    draw_values(panels[-1], {(i, j): probability[i, j].item() for i, j in before.nonzero().tolist()})
    draw_gold(panels[-1], gold)
    panels[-1].set_xlabel("All links, with gold links", color=INK, fontsize=9)
    draw_scale(panels, "link probability times its weight in the round", fraction=0.05, pad=0.04, aspect=40, shrink=0.3)
    draw_frames_key(panels[0])
    save(figure, path)


def weights(links: Tensor) -> Tensor:
    """What each pair of words counts for after these links."""
    linked = links.any(1)[:, None].int() + links.any(0)[None, :].int()
    return torch.tensor([1.0, ALPHA, 0.0])[linked]


if __name__ == "__main__":
    pictures.main(__file__, draw, INPUTS)
