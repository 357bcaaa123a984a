import pytest

pytest.importorskip("matplotlib")

from matplotlib.container import BarContainer, ErrorbarContainer

from xalign_fairseq.evaluation.plots.transfer import plot_gaps, plot_scores


def row(task, checkpoint, mean, deviation, **more):
    return {"task": task, "checkpoint": checkpoint, "mean": mean, "deviation": deviation, **more}


def test_bars_stand_side_by_side_with_their_deviations(figures):
    plot_scores([row("pos", "a", 0.8, 0.01), row("pos", "b", 0.7, None), row("ner", "b", 0.5, 0.02)], "unused.png")
    [axes] = figures[0].axes
    first, second = (each for each in axes.containers if isinstance(each, BarContainer))
    assert [round(bar.get_height()) for bar in first] == [80]
    assert [round(bar.get_height()) for bar in second] == [70, 50]
    assert first[0].get_x() + first[0].get_width() <= second[0].get_x() < 0.5 < second[1].get_x()
    spans = [
        segment[:, 1].tolist()
        for each in axes.containers
        if isinstance(each, ErrorbarContainer)
        for segment in each.lines[2][0].get_segments()
    ]
    assert spans == [pytest.approx([79, 81]), pytest.approx([48, 52])]
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


def test_a_name_with_an_underscore_in_front_is_in_the_key(figures):
    plot_scores([row("pos", "_a", 0.8, None), row("pos", "b", 0.7, None)], "unused.png")
    plot_gaps([row("pos", name, 0.2, None, language="de") for name in ("_a", "b")], "unused.png")
    assert [[text.get_text() for text in each.legends[0].get_texts()] for each in figures] == [["_a", "b"]] * 2


def test_many_panels_of_gaps_stand_in_two_columns_unless_they_are_wide(figures):
    tasks = ("pos", "ner", "qa")
    plot_gaps([row(task, "a", 0.2, None, language="de") for task in tasks], "unused.png")
    plot_gaps([row(task, "a", 0.2, None, language=f"l{n}") for task in tasks for n in range(30)], "unused.png")
    columns = [len({axes.get_subplotspec().colspan.start for axes in figure.axes}) for figure in figures]
    assert columns == [2, 1]


def test_files_of_many_and_of_one(tmp_path):
    many = [row(f"task_{t}, on $e$n", f"c{c}", 0.1 * c, 0.01) for t in range(7) for c in range(9)]
    plot_scores(many, tmp_path / "a.png")
    plot_gaps([row("t", "c", 0.1, None, language="de")], tmp_path / "b.svg")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "b.svg").read_bytes()[:500]
