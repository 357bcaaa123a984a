import pytest

pytest.importorskip("matplotlib")

from matplotlib import image, pyplot, rcParams

from xalign_fairseq.errors import XalignError
from xalign_fairseq.plots.figure import FONTS, check_picture, new_figure, require_matplotlib, save, style_axes


def test_the_ending_is_checked_before_anything_is_drawn():
    assert check_picture("a/b.SVG") == "svg"
    for path in ("links", "links.gold", "png"):
        with pytest.raises(XalignError, match=r"format is not known[\s\S]*png"):
            check_picture(path)


def test_without_matplotlib_the_library_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for ask in (require_matplotlib, lambda: check_picture("a.png"), lambda: new_figure(1, 1)):
        with pytest.raises(XalignError, match="need matplotlib"):
            ask()


def test_a_figure_has_its_size_and_opens_no_window(tmp_path):
    figure = new_figure(2, 1)
    assert not pyplot.get_fignums()
    assert rcParams["font.family"] and set(rcParams["font.family"]) <= {*FONTS, "sans-serif"}
    save(figure, tmp_path / "new/a.png")
    assert image.imread(tmp_path / "new/a.png").shape[:2] == (150, 300)  # 150 points an inch


@pytest.mark.parametrize(("name", "start"), [("a.pdf", b"%PDF"), ("a.SVG", b"<?xml"), ("a.png", b"\x89PNG")])
def test_the_ending_gives_the_format(tmp_path, name, start):
    save(new_figure(1, 1), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)


def test_letters_without_a_font_are_drawn_without_a_word(tmp_path, recwarn):
    figure = new_figure(1, 1)
    figure.text(0.5, 0.5, "\U00012000")  # cuneiform
    save(figure, tmp_path / "a.png")
    assert not recwarn.list


def test_a_picture_that_fails_leaves_the_earlier_one(tmp_path):
    path = tmp_path / "a.png"
    save(new_figure(1, 1), path)
    before, figure = path.read_bytes(), new_figure(1, 1)
    figure.text(0.5, 0.5, "$\\nothing$")  # no such symbol
    with pytest.raises(ValueError, match="nothing"):
        save(figure, path)
    assert path.read_bytes() == before and [each.name for each in tmp_path.iterdir()] == ["a.png"]


def test_axes_have_a_grid_along_one_axis_and_no_frame():
    axes = new_figure(1, 1).add_subplot()
    style_axes(axes, grid="x")
    assert {side for side, spine in axes.spines.items() if spine.get_visible()} == {"left", "bottom"}
    lines = {name: [line.get_visible() for line in axis.get_gridlines()]
             for name, axis in (("x", axes.xaxis), ("y", axes.yaxis))}  # fmt: skip
    assert all(lines["x"]) and not any(lines["y"])
