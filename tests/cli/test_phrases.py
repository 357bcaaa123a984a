import pytest

from xalign_fairseq.cli import main


@pytest.fixture
def phrases(tmp_path):
    """Run ``xalign phrases`` on these lines in this process; return the exit code."""

    def run(*options, src="das rote Haus\n\nja\n", tgt="the red house\n\nyes\n", links="0-0 1p1 2-2\n\n\n"):
        for name, text in (("src", src), ("tgt", tgt), ("links", links)):
            (tmp_path / name).write_text(text)
        files = [part for name in ("src", "tgt", "links") for part in (f"--{name}", tmp_path / name)]
        return main([str(part) for part in ("phrases", *files, *options)])

    return run


def test_a_line_for_each_phrase_pair(phrases, tmp_path, capsys):
    assert phrases() == 0
    expected = [
        "das\tthe\t0-0",
        "das rote\tthe red\t0-0 1-1",
        "das rote Haus\tthe red house\t0-0 1-1 2-2",
        "rote\tred\t0-0",
        "rote Haus\tred house\t0-0 1-1",
        "Haus\thouse\t0-0",
    ]
    assert capsys.readouterr() == ("\n".join(expected) + "\n", "3 sentence pairs, 6 phrase pairs\n")
    assert phrases("--max-length", 1, "--out", tmp_path / "out") == 0
    assert (tmp_path / "out").read_text().splitlines() == [expected[0], expected[3], expected[5]]


def test_counts_and_probabilities_of_phrase_pairs(phrases, tmp_path, capsys):
    text = {"src": "a b\na\na b\n", "tgt": "x y\nz\nx w\n", "links": "0-0 1-1\n0-0\n0-0 1-1\n"}
    assert phrases("--counts", "--out", tmp_path / "out", **text) == 0
    rows = [line.split("\t") for line in (tmp_path / "out").read_text().splitlines()]
    assert [row[:5] for row in rows] == [
        ["a", "x", "2", "0.666667", "1"],
        ["a", "z", "1", "0.333333", "1"],
        ["a b", "x w", "1", "0.5", "1"],
        ["a b", "x y", "1", "0.5", "1"],
        ["b", "w", "1", "0.5", "1"],
        ["b", "y", "1", "0.5", "1"],
    ]
    assert phrases("--counts", "--min-count", 2, "--max-length", 1, **text) == 0
    assert capsys.readouterr().out == "a\tx\t2\t0.666667\t1\t2.91\n"
    assert phrases("--counts", "--out", tmp_path / "out", **text) == 0
    assert capsys.readouterr().err == "3 sentence pairs, 6 different phrase pairs\n"
    assert phrases("--min-count", 2, "--out", tmp_path / "out", **text) == 2
    assert "next: add --counts" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"links": "0-0\n0-0\n\n"}, "link 0-0, sentence lengths 0 and 0"),
        ({"links": "0-0 3-0\n\n\n"}, "with sides in this order; words depend on --segment"),
    ],
)
def test_files_that_do_not_belong_together(phrases, files, message, tmp_path, capsys):
    assert phrases("--out", tmp_path / "out", **files) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
