import pytest

pytest.importorskip("matplotlib")

from xalign_fairseq.evaluation.plots.layers import plot_layers


def test_a_line_per_curve_with_its_lowest_point(figures):
    plot_layers({"a": [(3, 0.1), (1, 0.1), (2, 0.0), (0, 0.2)], "b": [(0, 0.0), (1, 0.1)]}, "unused.png")
    lines = figures[0].axes[0].lines
    assert [list(line.get_xdata()) for line in lines[::2]] == [[0, 1, 2, 3], [0, 1]]
    assert list(lines[0].get_ydata()) == [20, 10, 0, 10]
    assert [line.get_label() for line in lines[::2]] == ["a: 0.0 at layer 2", "b: 0.0 at layer 0"]
    assert [list(line.get_xdata()) for line in lines[1::2]] == [[2], [0]]


def test_every_curve_is_in_the_legend_for_any_name(figures):
    plot_layers({"_best": [(1, 0.2)], "$a$": [(1, 0.3)]}, "unused.png")
    texts = figures[0].legends[0].get_texts()
    assert [text.get_text() for text in texts] == ["_best: 20.0 at layer 1", "$a$: 30.0 at layer 1"]
    assert not any(text.get_parse_math() for text in texts)
