"""Pictures of the pages of papers."""

from tests.examples.xlm_align.continued.made_up import papers


def test_pictures_show_tested_settings(tmp_path):
    test = {"difference": -0.01, "low": -0.02, "high": -0.001}
    papers.draw(("none", "tlm", "weam"), {"weam": test}, tmp_path / "picture.svg")
    assert "weam" in (tmp_path / "picture.svg").read_text()
