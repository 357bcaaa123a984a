import json
import os
import shutil

import pytest
from support.broken_off import stopped_after_16_pairs

from xalign_fairseq.aligner.neural import aligner
from xalign_fairseq.aligner.neural.aligner import Alignment
from xalign_fairseq.aligner.run import json_line, words_line
from xalign_fairseq.cli import main
from xalign_fairseq.core.text.segmented import SegmentedText


@pytest.fixture
def text(tiny_text, tmp_path):
    """Both sides, copied so that they can be changed."""
    for name in ("text.en", "text.xx"):
        (tmp_path / name).write_text((tiny_text / name).read_text())
    return tmp_path


@pytest.fixture
def align(tiny_checkpoint, text):
    def run(*options, checkpoint=tiny_checkpoint):
        texts = ["--src", text / "text.en", "--tgt", text / "text.xx", "--quiet"]
        return main([str(part) for part in ("align", "--model", checkpoint, *texts, *options)])

    return run


@pytest.fixture
def expected(align, capsys):
    assert align() == 0
    return capsys.readouterr().out.encode()


@pytest.fixture
def part(align, text, capsys):
    """An output of 16 of 40 lines, cut off by a lack of memory."""
    with stopped_after_16_pairs():
        align("--out", text / "links")
    part = text / "links.part"
    assert f"16 lines are kept in {part}; the same command with --resume" in capsys.readouterr().err
    assert not (text / "links").exists()
    return part


def error(capsys):
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def names(folder):
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("lost", [0, 1, 7, -1])
def test_a_resumed_output_equals_an_uninterrupted_run(align, text, part, expected, lost):
    content = part.read_bytes()
    assert content == b"".join(expected.splitlines(keepends=True)[:16])
    # A kill leaves what was flushed, perhaps with a partial last line; a disk may lose all of it.
    part.write_bytes(b"" if lost < 0 else content[: len(content) - lost])
    before = names(text)
    assert align("--out", text / "links", "--resume", "--batch-tokens", 100, "--device", "cpu") == 0
    assert (text / "links").read_bytes() == expected
    assert names(text) == before - {"links.part", "links.part.json"} | {"links"}


def test_only_missing_lines_are_aligned(align, text, part, monkeypatch, capsys):
    lines = [b"0-0\n"] * 38
    part.write_bytes(b"".join(lines))
    monkeypatch.setattr(aligner.Aligner, "stream", lambda self, pairs, progress: pytest.fail("the end has 2 pairs"))
    with pytest.raises(pytest.fail.Exception):
        align("--out", text / "links", "--resume")
    assert "38 lines are kept" in error(capsys)
    monkeypatch.undo()
    assert align("--out", text / "links", "--resume") == 0
    assert (text / "links").read_bytes().splitlines(keepends=True)[:38] == lines


def test_the_folder_of_a_model_may_hold_the_output(align, text, tiny_checkpoint, expected, capsys):
    model = text / "model"
    model.mkdir()
    shutil.copy2(tiny_checkpoint, model / "checkpoint_best.pt")
    options = ("--out", model / "links", "--resume")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aligner.Aligner, "stream", lambda *_: [Alignment([], [], {})] * 3 + [None])
        with pytest.raises(AttributeError):
            align(*options, checkpoint=model)
    assert (model / "links.part").read_text() == "\n" * 3
    (model / "train.log").write_text("more of a log")
    weights = model / "checkpoint_best.pt"
    before = weights.stat()
    weights.touch()
    assert align(*options, checkpoint=model) == 2
    assert "a difference in --model\n" in error(capsys)
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert align(*options, checkpoint=model) == 0
    assert (model / "links").read_bytes().splitlines()[3:] == expected.splitlines()[3:]


PAIR = Alignment(
    ["der", "„Hund“", "\t\0"], ["the", "dog"] + ["x"] * 10, {(1, 11): 0.12345678, (1, 2): 0.5, (0, 0): 1.0}
)


def test_json_has_words_and_probabilities_on_one_line():
    line = json_line(PAIR)
    assert "\n" not in line
    assert "„Hund“" in line
    assert json.loads(line) == {
        "src": PAIR.src,
        "tgt": PAIR.tgt,
        "links": [[0, 0, 1.0], [1, 2, 0.5], [1, 11, 0.123457]],
    }


def test_a_row_of_a_spreadsheet_has_texts_and_linked_words():
    text = SegmentedText("a\tb.", ((0, 1), (2, 3), (3, 4)))
    assert words_line(Alignment(text, ["x", "y"], {(2, 1): 0.5, (0, 1): 0.9})) == "a b.\tx y\ta = y; . = y"
    assert words_line(Alignment([], ["x"], {})) == "\tx\t"


def test_json_has_texts_and_word_positions():
    text = SegmentedText("“你好” 😀x", ((0, 1), (1, 3), (3, 4), (5, 6), (6, 7)))
    row = json.loads(json_line(Alignment(text, ["a"], {(1, 0): 0.5})))
    assert row["src"] == ["“", "你好", "”", "😀", "x"] and row["src_text"] == text.text
    assert [row["src_text"][start:stop] for start, stop in row["src_chars"]] == row["src"]
    raw = row["src_text"].encode()
    assert [raw[start:stop].decode() for start, stop in row["src_bytes"]] == row["src"]
    assert not any(name.startswith("tgt_") for name in row)  # words without a text have no position
