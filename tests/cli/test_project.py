import json

import pytest

from xalign_fairseq.cli import main


@pytest.fixture
def project(tmp_path):
    """Run ``xalign project`` on two pairs with links; return the exit code."""
    lines = [
        {"text": "das rote Haus", "translation": "the red house", "spans": [[4, 8, "COLOUR"], [9, 13, "THING"]]},
        {"text": "ja", "translation": "yes", "spans": []},
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "links").write_text("0-0 1-1\n\n")
    files = ("--src", tmp_path / "a.jsonl", "--out", tmp_path / "out", "--links", tmp_path / "links")
    return lambda *options: main([str(part) for part in ("project", *files, *options)])


def test_labels_go_where_links_lead_and_the_rest_is_reported(project, tmp_path, capsys):
    assert project("--report", tmp_path / "report") == 0
    first, second = map(json.loads, (tmp_path / "out").read_text().splitlines())
    assert first["translation_spans"] == [[4, 7, "COLOUR"]] and second["translation_spans"] == []
    assert capsys.readouterr().err.splitlines() == [
        "2 sentence pairs, 1 annotation placed, 1 not placed",
        "       1 its words have no link",
    ]
    where = f"{tmp_path}/a.jsonl, line 1"
    assert (tmp_path / "report").read_text() == f"place\titem\treason\n{where}\tTHING Haus\tits words have no link\n"


def test_the_page_shows_the_labels_of_both_sides_of_labelled_pairs(project, tmp_path):
    assert project("--page", tmp_path / "page.html") == 0
    page = (tmp_path / "page.html").read_text()
    assert page.count('data-label="COLOUR"') == 2 and page.count('data-label="THING"') == 1
    assert page.count("<article id") == 1 and page.endswith("</html>\n")


def test_files_of_others_are_kept_and_own_ones_replaced(project, tmp_path, capsys):
    options = ("--page", tmp_path / "page.html", "--report", tmp_path / "report")
    assert project(*options) == project(*options, "--max-gap", 0) == 0
    assert (tmp_path / "out.links").read_text() == (tmp_path / "links").read_text()
    (tmp_path / "out.links").unlink()
    for name in ("out", "page.html", "report"):
        (tmp_path / name).write_text("<!doctype html>\n<p>mine\n")
        assert project(*options) == 2
        assert f"which would be lost\n  where: {tmp_path / name}" in capsys.readouterr().err
        (tmp_path / name).unlink()
        assert not list(tmp_path.glob("*out*"))


def test_errors_name_their_options(project, tmp_path, capsys):
    for options, message in (
        (("--method", "argmax"), "--links, --method"),
        (("--resume",), "--links, --resume"),
        (("--tgt", tmp_path / "links"), "--tgt"),
        (("--out", tmp_path / "a.jsonl"), "also an input"),
        (("--format", "text"), "--format"),
        (
            ("--extract", "--report", "r", "--page", "p", "-v"),
            "extracted\n  where: --extract, --links, --page, --report",
        ),
    ):
        assert project(*options) == 2
        assert message in capsys.readouterr().err


def test_the_texts_of_a_page_are_extracted_and_projected_back(tmp_path, capsys):
    page, texts, out = (tmp_path / name for name in ("page.html", "page.txt", "out.html"))
    page.write_text("the <i>red</i><br>house\n")
    extract = ["project", "--extract", "--src", str(page), "--out", str(texts)]
    assert main(extract) == main(extract) == 0
    assert texts.read_text() == "the red house\n"
    texts.write_text("la maison rouge\n")
    assert main(extract) == 2 and "found: la maison rouge" in capsys.readouterr().err
    (tmp_path / "links").write_text("0-0 1-2 2-1\n")
    files = ("--src", page, "--tgt", texts, "--links", tmp_path / "links", "--out", out)
    assert main(["project", *map(str, files)]) == 0
    assert out.read_text() == "la<br>maison <i>rouge</i>\n"
    assert capsys.readouterr().err == "1 sentence pair, 2 tags placed, 0 not placed\n"
    assert main(["project", *map(str, files), "--max-gap", "1", "--min-share", "0.5"]) == 2
    assert "--max-gap, --min-share" in capsys.readouterr().err
    page.write_text("<ul><li>a</li><li>b</li></ul>c<p><b>d</b> <br>e</p>\n<p>f</p>\n<td>g</td> <td>h</td>\n")
    texts.write_text("")
    assert main(extract) == 0
    assert texts.read_text() == "a b c d e\nf\ng h\n"
    assert "page.html, line 1: several paragraphs or cells in one line; put each" in (said := capsys.readouterr().err)
    assert said.endswith(" first (2 such lines)\n")
    assert main(["project", "--extract", "--src", "a.jsonl", "--out", str(texts)]) == 2
    assert "can't be extracted" in capsys.readouterr().err
