import pytest

pytest.importorskip("matplotlib")

from matplotlib.container import BarContainer, ErrorbarContainer

from xalign_fairseq.evaluation.plots.transfer import plot_alignment, plot_gap_bars, plot_gaps, plot_scores


def row(task, checkpoint, mean, deviation, **more):
    return {"task": task, "checkpoint": checkpoint, "mean": mean, "deviation": deviation, **more}


def spans(axes):
    """The vertical ranges of all error bars."""
    bars = (each for each in axes.containers if isinstance(each, ErrorbarContainer))
    return [segment[:, 1].tolist() for each in bars for segment in each.lines[2][0].get_segments()]


def test_bars_are_side_by_side_with_their_deviations(figures):
    plot_scores([row("pos", "a", 0.8, 0.01), row("pos", "b", 0.7, None), row("ner", "b", 0.5, 0.02)], "unused.png")
    [axes] = figures[0].axes
    first, second = (each for each in axes.containers if isinstance(each, BarContainer))
    assert [round(bar.get_height()) for bar in first] == [80]
    assert [round(bar.get_height()) for bar in second] == [70, 50]
    assert first[0].get_x() + first[0].get_width() <= second[0].get_x() < 0.5 < second[1].get_x()
    assert spans(axes) == [pytest.approx([79, 81]), pytest.approx([48, 52])]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["pos", "ner"]
    assert [text.get_text() for text in figures[0].legends[0].get_texts()] == ["a", "b"]


def test_a_panel_of_gaps_for_each_task(figures):
    rows = [row("pos", "a", 0.2, 0.01, language="de"), row("pos", "a", 0.4, None, language="zh")]
    plot_gaps([*rows, row("ner", "b", -0.1, None, language="th")], "unused.png")
    pos, ner = figures[0].axes
    assert (pos.get_title("left"), ner.get_title("left")) == ("pos", "ner")
    assert [label.get_text() for label in pos.get_xticklabels()] == ["de", "zh"]
    assert pos.lines[0].get_ydata() == pytest.approx([20, 40])
    [drawn] = [line for line in ner.lines if line.get_label() == "b"]
    assert drawn.get_ydata() == pytest.approx([-10])
    assert [text.get_text() for text in figures[0].legends[0].get_texts()] == ["a", "b"]


def test_many_panels_of_gaps_have_two_columns_unless_they_are_wide(figures):
    tasks = ("pos", "ner", "qa")
    plot_gaps([row(task, "a", 0.2, None, language="de") for task in tasks], "unused.png")
    plot_gaps([row(task, "a", 0.2, None, language=f"l{n}") for task in tasks for n in range(30)], "unused.png")
    assert [len({axes.get_subplotspec().colspan.start for axes in figure.axes}) for figure in figures] == [2, 1]


def bar(task, language, objective, mean, deviation):
    return {"task": task, "language": language, "objective": objective, "mean": mean, "deviation": deviation}


def point(task, objective, language, alignment, gap):
    return {"task": task, "objective": objective, "language": language, "alignment": alignment, "gap": gap}


def test_bars_of_each_language_with_their_deviations(figures):
    plot_gap_bars(
        [bar("POS", "Trans", "MLM", 0.02, None), bar("POS", "Inv", "MLM", 0.4, 0.05),
         bar("POS", "Inv", "ALIGN", 0.1, 0.01), bar("NER", "Inv", "ALIGN", -0.03, None)], "unused.png",
    )  # fmt: skip
    pos, ner = figures[0].axes
    assert (pos.get_title("left"), ner.get_title("left")) == ("POS", "NER")
    first, second = (each for each in pos.containers if isinstance(each, BarContainer))
    assert [each.get_height() for each in first] == pytest.approx([2, 40])
    assert [each.get_height() for each in second] == pytest.approx([10])
    # the second objective is to the right of the first, both around the second language's place
    left, right = first[1].get_x(), second[0].get_x() + second[0].get_width()
    assert first[1].get_x() + first[1].get_width() <= second[0].get_x() and right - left < 1
    assert (left + right) / 2 == pytest.approx(1)
    assert spans(pos) == [pytest.approx([35, 45]), pytest.approx([9, 11])]
    assert [label.get_text() for label in ner.get_xticklabels()] == ["Trans", "Inv"]
    assert [text.get_text() for text in figures[0].legends[0].get_texts()] == ["MLM", "ALIGN"]


def test_colours_tell_objectives_and_markers_languages(figures):
    plot_alignment(
        [point("POS", "MLM", "Trans", 0.9, 0.01), point("POS", "MLM", "Inv", 0.1, 0.4),
         point("POS", "ALIGN", "Inv", 0.95, 0.03), point("POS", "ALIGN", "Inv", 0.9, 0.05)], "unused.png",
    )  # fmt: skip
    [axes] = figures[0].axes
    drawn = {(line.get_color(), line.get_marker()): line for line in axes.lines if len(line.get_xdata())}
    assert len(drawn) == 3
    places = sorted((list(line.get_xdata()), list(line.get_ydata())) for line in drawn.values())
    assert [pytest.approx(x) for x, _ in places] == [[10], [90], [95, 90]]
    assert [pytest.approx(y) for _, y in places] == [[40], [1], [3, 5]]
    assert {text.get_text() for text in figures[0].legends[0].get_texts()} == {"MLM", "ALIGN", "Trans", "Inv"}
    # the legend has the points' colours and markers
    handles = {line.get_label(): line for line in axes.lines}
    assert (handles["ALIGN"].get_color(), handles["Inv"].get_marker()) in drawn


@pytest.mark.parametrize("name", ["$x_$", "$\\frac$", "a\\$b$"])
def test_a_name_with_two_dollar_signs_is_not_a_formula(name, tmp_path):
    plot_gap_bars([bar(name, name, name, 0.1, None)], tmp_path / "a.svg")
    plot_alignment([point(name, name, "fr", 0.1, 0.1)], tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_text().count(f"<!-- {name} -->") == 3
    assert (tmp_path / "b.svg").read_text().count(f"<!-- {name} -->") == 2
