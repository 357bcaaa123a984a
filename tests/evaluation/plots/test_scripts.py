"""What is said of letters that a picture does not show as they are read."""

import pytest

pytest.importorskip("matplotlib")

from matplotlib import ft2font

from xalign_fairseq.evaluation.plots.scripts import missing_font, unshaped


def test_fonts_of_letters_drawn_as_boxes_are_named():
    assert missing_font([]) is None
    told = missing_font("कख书か")
    assert "कख书か" in told and "Noto Sans Devanagari, Noto Sans CJK (" in told and "fontlist" in told


def test_scripts_that_an_older_matplotlib_does_not_shape_are_named(monkeypatch):
    monkeypatch.delattr(ft2font, "__libraqm_version__", raising=False)
    assert unshaped(["The", "书", "дом"]) is None
    assert "letters of ARABIC, DEVANAGARI one by one" in unshaped(["a", "घर", "بيت"])
    monkeypatch.setattr(ft2font, "__libraqm_version__", "0.10", raising=False)
    assert unshaped(["घर"]) is None
