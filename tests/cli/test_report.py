import pytest

from xalign_fairseq.cli import main

ROW = 'x | {"num_updates": "10", "loss": "9.5"}\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run/train.log").write_text(ROW)
    return tmp_path / "run"


def test_the_page_is_in_the_folder_or_at_a_given_path(folder, tmp_path, capsys):
    assert main(["report", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder}/report.html\n"
    assert "Training run run" in (folder / "report.html").read_text()
    assert main(["report", "-q", str(folder), "--out", str(tmp_path / "page.html")]) == 0
    assert capsys.readouterr().out == "" and (tmp_path / "page.html").is_file()


def test_the_page_does_not_replace_its_inputs(folder, tiny_text, tmp_path, capsys):
    """The page replaced the log of a training, which cannot be restored."""
    (log := tmp_path / "fairseq.log").write_text(ROW)
    (tmp_path / "link.html").symlink_to(folder / "train.log")
    text = {side: tiny_text / f"text.{side}" for side in ("en", "xx", "gold")}
    before = {side: path.read_text() for side, path in text.items()}
    files = ["--src", text["en"], "--tgt", text["xx"], "--gold", text["gold"]]
    logs = ((folder / "train.log",), (tmp_path / "link.html",), (log, "--log", log))
    for out, *options in (*logs, *((path, *files) for path in text.values())):
        assert main(["report", *map(str, (folder, "--out", out, *options))]) == 2
        assert "the output is also an input" in capsys.readouterr().err
    assert main(["report", "gone", "--out", "page.gz"]) == 2 and "can't be compressed" in capsys.readouterr().err
    assert (folder / "train.log").read_text() == log.read_text() == ROW
    assert {side: path.read_text() for side, path in text.items()} == before


def test_example_links_by_the_runs_model(folder, tiny_state, tiny_text, capsys):
    import torch

    torch.save(tiny_state, folder / "checkpoint_best.pt")
    text = ["--src", str(tiny_text / "text.en"), "--tgt", str(tiny_text / "text.xx")]
    gold = ["--gold", str(tiny_text / "text.gold")]
    assert main(["report", str(folder), *text, *gold, "--examples", "4"]) == 0
    page = (folder / "report.html").read_text()
    assert "<h2>Example links</h2>" in page and page.count("<table class='xalign-links'>") == 4
    assert ", sure'" in page and "aligning 4 pairs" in capsys.readouterr().err
    assert main(["report", "--quiet", str(folder), *text]) == 0
    assert "aligning" not in capsys.readouterr().err


def test_sides_of_different_lengths_are_refused(folder, tiny_text, tmp_path, capsys):
    """If one side lacks a line, sentences would appear next to wrong translations."""
    short = tmp_path / "short.xx"
    short.write_text("".join((tiny_text / "text.xx").read_text().splitlines(keepends=True)[1:]))
    assert main(["report", str(folder), "--src", str(tiny_text / "text.en"), "--tgt", str(short)]) == 2
    assert "different numbers of lines" in capsys.readouterr().err and not (folder / "report.html").exists()


@pytest.mark.parametrize("gold", ["0-0\n", None])
def test_gold_of_another_text_is_refused(folder, tiny_text, tmp_path, gold, capsys):
    """A single line ended in a traceback, and links to missing words were not shown."""
    lines = len((tiny_text / "text.en").read_text().splitlines())
    (tmp_path / "gold").write_text(gold or "0-99\n" * lines)
    text = ["--src", str(tiny_text / "text.en"), "--tgt", str(tiny_text / "text.xx")]
    assert main(["report", str(folder), *text, "--gold", str(tmp_path / "gold")]) == 2
    assert str(tmp_path / "gold") in capsys.readouterr().err and not (folder / "report.html").exists()
