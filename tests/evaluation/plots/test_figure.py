from xml.dom import minidom

import pytest

pytest.importorskip("matplotlib")

from matplotlib import image, pyplot, rc_context, rcParams
from matplotlib.text import Text

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.plots.figure import FONTS, check_picture, new_figure, require_matplotlib, save
from xalign_fairseq.evaluation.plots.palette import INK


def test_the_ending_is_checked_before_anything_is_drawn():
    assert check_picture("a/b.SVG") == "svg"
    for path in ("links", "links.gold", "png"):
        with pytest.raises(XalignError, match=r"unknown picture format[\s\S]*png"):
            check_picture(path)


def test_without_matplotlib_the_library_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for ask in (require_matplotlib, lambda: check_picture("a.png"), lambda: new_figure(1, 1)):
        with pytest.raises(XalignError, match="need matplotlib"):
            ask()


@pytest.mark.parametrize(("name", "start"), [("a.pdf", b"%PDF"), ("a.SVG", b"<?xml"), ("new/a.png", b"\x89PNG")])
def test_the_ending_gives_the_format_and_no_window_is_opened(tmp_path, name, start):
    save(new_figure(2, 1), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start) and not pyplot.get_fignums()
    if name.endswith("png"):
        assert image.imread(tmp_path / name).shape[:2] == (150, 300)  # 150 points per inch


def test_letters_without_a_font_are_reported(tmp_path, caplog, recwarn):
    figure = new_figure(1, 1)
    figure.text(0.5, 0.5, "\U00012000")  # a character that matplotlib's fonts lack
    with rc_context({"font.family": ["DejaVu Sans"]}):
        save(figure, tmp_path / "a.png")
    [record] = [each for each in caplog.records if each.name.startswith("xalign_fairseq")]
    assert "no font has \U00012000: the picture shows boxes" in record.message and not recwarn.list


def test_text_has_the_fonts_of_many_scripts_and_other_pictures_keep_theirs(tmp_path, monkeypatch):
    with rc_context({"font.family": ["serif"]}):
        figure = new_figure(2, 2)
        figure.add_subplot().set(title="a", xlabel="b")
        seen = []
        monkeypatch.setattr(Text, "draw", lambda text, *args, **options: seen.append(text.get_fontfamily()))
        save(figure, tmp_path / "a.png")
        assert rcParams["font.family"] == ["serif"]
    assert len(seen) > 10 and all(set(fonts) <= set(FONTS) and "DejaVu Sans" in fonts for fonts in seen)


@pytest.mark.parametrize("letter", ["\x00", "\x1b", "\ufffe", "\uffff"])
def test_an_svg_picture_of_letters_that_xml_does_not_allow_is_well_formed(letter, tmp_path):
    figure = new_figure(2, 2)
    figure.text(0.5, 0.5, f"a{letter}b\u4e66\t\U0001f600")
    save(figure, tmp_path / "a.svg")
    minidom.parse(str(tmp_path / "a.svg"))
    assert "<!-- a\ufffdb\u4e66\t\U0001f600 -->" in (tmp_path / "a.svg").read_text()


@pytest.mark.parametrize("name", ["a.svg", "a.pdf"])
def test_a_picture_is_the_same_bytes_at_another_time(tmp_path, monkeypatch, name):
    found = []
    for year in (2001, 2002):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str((year - 1970) * 31_556_952))  # matplotlib's clock
        figure = new_figure(1, 1)
        figure.add_subplot().plot([1, 2], [3, 5], color=INK, label="a")
        figure.legend()
        save(figure, tmp_path / name)
        found.append((tmp_path / name).read_bytes())
    assert found[0] == found[1]
    if name == "a.svg":
        text = (tmp_path / name).read_text()
        assert "prefers-color-scheme: dark" in text and f'[style*="stroke: {INK}"]' in text and "dc:date" not in text


def test_a_picture_that_fails_leaves_the_earlier_one(tmp_path):
    path = tmp_path / "a.png"
    save(new_figure(1, 1), path)
    before, figure = path.read_bytes(), new_figure(1, 1)
    figure.text(0.5, 0.5, "$\\nothing$")  # no such symbol
    with pytest.raises(ValueError, match="nothing"):
        save(figure, path)
    assert path.read_bytes() == before and [each.name for each in tmp_path.iterdir()] == ["a.png"]
