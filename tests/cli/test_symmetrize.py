import pytest

from xalign_fairseq.cli import main


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "0-0 0-1 1-1\n\n2-2\n"),
        (["--symmetrize", "intersection"], "0-0\n\n\n"),
        (["--symmetrize", "union"], "0-0 0-1 1-1\n\n2-2 2-3\n"),
    ],
)
def test_methods(tmp_path, options, expected):
    (tmp_path / "forward").write_text("1-1 0-0\n\n2-2\n")
    (tmp_path / "backward").write_text("0-0 0-1\n\n2-3\n")
    out = tmp_path / "new" / "links"
    files = ["--forward", str(tmp_path / "forward"), "--backward", str(tmp_path / "backward"), "--out", str(out)]
    assert main(["symmetrize", *files, *options]) == 0
    assert out.read_text() == expected


def test_files_that_differ_in_length_do_not_change_the_output(tmp_path, capsys):
    (tmp_path / "forward").write_text("0-0\n")
    (tmp_path / "backward").write_text("0-0\n0-1\n")
    (tmp_path / "out").write_text("7-7")
    files = ["--forward", str(tmp_path / "forward"), "--backward", str(tmp_path / "backward")]
    assert main(["symmetrize", *files, "--out", str(tmp_path / "out")]) == 2
    assert "1 and 2 lines" in capsys.readouterr().err and (tmp_path / "out").read_text() == "7-7"
