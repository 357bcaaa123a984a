import json

import pytest

from xalign_fairseq.aligner import pictures
from xalign_fairseq.aligner.render.page import Page
from xalign_fairseq.cli import main
from xalign_fairseq.links.gold import read_gold


@pytest.fixture
def align(tiny_checkpoint, tiny_text):
    """Run ``xalign align`` on the text; the exit code."""
    texts = ("--src", tiny_text / "text.en", "--tgt", tiny_text / "text.xx")
    return lambda *options: main([str(part) for part in ("align", "--model", tiny_checkpoint, *texts, *options)])


def test_a_page_with_gold_links(align, tiny_text, tmp_path, capsys):
    assert align("--format", "json", "--quiet") == 0
    words = [json.loads(line)["src"] for line in capsys.readouterr().out.splitlines()]
    gold, page = tiny_text / "text.gold", tmp_path / "page.html"
    assert align("--format", "html", "--gold", gold, "--languages", "en-fr", "--out", page, "--quiet") == 0
    lines = page.read_text().splitlines()
    assert lines[0].lower() == "<!doctype html>" and lines[-1] == "</html>"
    golden = Page(read_gold(gold), ("en", "fr"))
    assert page.read_text().startswith(golden.begin())
    pairs = page.read_text().removeprefix(golden.begin()).partition("</main>")[0].splitlines()
    assert len(pairs) == 40 and all(word in pair for src, pair in zip(words, pairs, strict=True) for word in src)
    assert align("--format", "html", "--out", page, "--resume") == 2
    assert "this output cannot be resumed" in capsys.readouterr().err


def test_a_picture_of_one_pair(align, tiny_text, tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    drawn = []
    monkeypatch.setattr(pictures, "plot_links", lambda *arguments, **keywords: drawn.append((arguments, keywords)))
    align("--plot", tmp_path / "p.pdf", "--plot-line", 5, "--gold", tiny_text / "text.gold", "--quiet")
    out = capsys.readouterr().out.splitlines()
    [((src, tgt, links, path), keywords)] = drawn
    assert " ".join(src) == (tiny_text / "text.en").read_text().splitlines()[4]
    assert " ".join(tgt) == (tiny_text / "text.xx").read_text().splitlines()[4]
    assert links.keys() == {tuple(map(int, link.split("-"))) for link in out[4].split()}
    gold = (tiny_text / "text.gold").read_text().splitlines()[4].replace("p", "-").split()
    assert keywords["gold"].possible == {tuple(map(int, link.split("-"))) for link in gold}
    assert path == str(tmp_path / "p.pdf")


def test_bad_requests_for_a_picture(align, tmp_path, monkeypatch, capsys):
    def failed(code):
        assert code == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        return captured.err

    pytest.importorskip("matplotlib")
    plot = ("--plot", tmp_path / "p.png")
    assert "1 to 40" in failed(align(*plot, "--plot-line", 41))
    assert "1 to 40" in failed(align(*plot, "--plot-line", 0))
    assert "a line number needs a picture" in failed(align("--plot-line", 2))
    assert "the same name" in failed(align(*plot, "--out", tmp_path / "p.png", "--format", "pharaoh"))
    (tmp_path / "gold.svg").write_text("\n" * 40)
    own = ("--plot", tmp_path / "gold.svg", "--gold", tmp_path / "gold.svg")
    assert "also an input" in failed(align(*own)) and (tmp_path / "gold.svg").read_text() == "\n" * 40
    (tmp_path / "gold").write_text("0-0\n")
    assert "1 line of links" in failed(align(*plot, "--gold", tmp_path / "gold"))
    (tmp_path / "gold").write_text("0-0\n" * 11 + "0-99\n" + "\n" * 28)
    assert "link" in failed(align(*plot, "--gold", tmp_path / "gold"))
    with monkeypatch.context() as patch:
        patch.setattr("xalign_fairseq.aligner.pictures.MOST_WORDS", 2)
        assert "too long to draw" in failed(align(*plot))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install matplotlib" in failed(align(*plot))
