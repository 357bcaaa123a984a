import pytest

pytest.importorskip("matplotlib")

from matplotlib.colors import to_hex

from xalign_fairseq.evaluation.plots.figure import new_figure
from xalign_fairseq.evaluation.plots.matrix import (
    draw_frames_key,
    draw_gold,
    draw_scale,
    draw_values,
    draw_words,
    plot_links,
)
from xalign_fairseq.evaluation.plots.palette import ACCENT, SCALE
from xalign_fairseq.links.pharaoh import Gold, parse_line


def place(patch):
    return round(patch.get_y() + patch.get_height() / 2), round(patch.get_x() + patch.get_width() / 2)


def test_numbers_are_cells_and_gold_links_are_frames():
    axes = new_figure(3, 3).add_subplot()
    draw_words(axes, ["a", "$b$"], ["x", "y", "z" * 80])
    draw_values(axes, {(0, 2): 1.0, (1, 0): 0.0})
    draw_gold(axes, parse_line("1-0 0p1"))
    full, empty, possible, sure = axes.patches
    assert [place(patch) for patch in axes.patches] == [(0, 2), (1, 0), (0, 1), (1, 0)]
    assert (to_hex(full.get_facecolor()), to_hex(empty.get_facecolor())) == (SCALE[-1], SCALE[0])
    assert {to_hex(patch.get_edgecolor()) for patch in (possible, sure)} == {ACCENT}
    assert sure.get_linestyle() in ("-", "solid") and possible.get_linestyle() not in ("-", "solid")
    assert [text.get_text() for text in axes.get_yticklabels()] == ["a", "$b$"]
    assert [len(text.get_text()) for text in axes.get_xticklabels()] == [1, 1, 60]


def test_the_scale_is_from_0_to_1_in_the_palettes_colours():
    figure = new_figure(4, 3)
    panels = list(figure.subplots(1, 2))
    draw_scale(panels, "mass")
    draw_frames_key(panels[0])
    [bar] = [axes for axes in figure.axes if axes not in panels]
    assert bar.get_xlabel() == "mass" and bar.get_xlim() == (0, 1)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["gold, sure", "gold, possible"]


def test_links_are_filled_by_probability_and_gold_is_outlined(figures):
    gold = Gold(frozenset({(0, 0)}), frozenset({(1, 2)}))
    plot_links(["a", "b"], ["x", "y", "z"], {(0, 0): 0.9, (1, 1): 0.2}, "unused.png", gold=gold)
    [figure] = figures
    strong, weak, sure, possible = figure.axes[0].patches
    assert sum(strong.get_facecolor()[:3]) < sum(weak.get_facecolor()[:3])  # darker
    assert [patch.get_fill() for patch in (strong, weak, sure, possible)] == [True, True, False, False]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["a", "b"]
    top, bottom = figure.axes[0].get_ylim()[::-1]
    assert top < bottom and figure.legends  # the first source word is at the top
