"""What determines the lines that are written: equal for equal runs, another for all that would change a line."""

import argparse
import os
import shutil

import pytest

from xalign_fairseq.cli import align
from xalign_fairseq.cli._arguments import add_volume
from xalign_fairseq.cli._run_record import run_record
from xalign_fairseq.core.version import __version__
from xalign_fairseq.encoder.pretrained import packaged


@pytest.fixture
def model(tmp_path):
    """A folder as a training leaves it."""
    (tmp_path / "model").mkdir()
    for name in ("checkpoint_best.pt", "dict.txt", "sentencepiece.model"):
        (tmp_path / "model" / name).write_text(name)
    return tmp_path / "model"


@pytest.fixture
def record(model, tmp_path):
    """The function that gives the record of a command line."""
    for name in ("text.en", "text.de"):
        (tmp_path / name).write_text(f"{name}\n")

    def make(*options, checkpoint=model):
        parser = argparse.ArgumentParser()
        align.add_arguments(parser)
        add_volume(parser)
        texts = ["--src", str(tmp_path / "text.en"), "--tgt", str(tmp_path / "text.de")]
        return run_record(parser.parse_args(["--model", str(checkpoint), *texts, *options]))

    return make


def test_the_columns_of_a_table_are_two_texts(record, tmp_path):
    (tmp_path / "t.tsv").write_text("a\tb\n")
    one, two = (record("--src", f"{tmp_path}/t.tsv#{column}") for column in (1, 2))
    assert {option for option in one if one[option] != two[option]} == {"--src"}


def test_options_are_told_as_they_are_given(record):
    found = record("--layer", "6-8", "--mu", "0.5", "--method", "transport")
    assert found["xalign_fairseq"] == __version__
    assert (found["--layer"], found["--mu"], found["--method"]) == ("(6, 7, 8)", "0.5", "transport")
    assert not {"--threshold", "--resume", "--out", "--quiet"} & found.keys()
    assert found == record("--layer", "6,7,8", "--mu", ".5", "--method", "transport")


@pytest.mark.parametrize(
    "options",
    [
        ("--out", "x"),
        ("--quiet",),
        ("--verbose",),
        ("--device", "cpu"),
        ("--batch-tokens", "7"),
        ("--sinkhorn-backend", "cpu"),
    ],
)
def test_what_changes_no_line_is_not_in_it(record, options):
    assert record(*options) == record()


@pytest.mark.parametrize(
    ("options", "name"),
    [(("--layer", "3"), "--layer"), (("--method", "argmax"), "--method"), (("--dtype", "bfloat16"), "--dtype")],
)
def test_what_changes_a_line_is(record, options, name):
    one, other = record(), record(*options)
    assert {key for key in {**one, **other} if one.get(key) != other.get(key)} == {name}


def test_a_text_is_its_content_whatever_its_name(record, tmp_path):
    before = record()
    os.utime(tmp_path / "text.en", (1, 1))
    assert record() == before
    (tmp_path / "text.en").write_text("other\n")
    assert record()["--src"] != before["--src"] and record()["--tgt"] == before["--tgt"]


def test_a_model_is_the_sizes_and_times_of_its_files(record, model):
    before = record()
    for name, content in (("train.log", "log"), ("links.part", "0-0")):  # logs, and an output in its folder
        (model / name).write_text(content)
    assert record() == before
    for change in (
        lambda: os.utime(model / "dict.txt", (1, 1)),
        lambda: (model / "checkpoint_best.pt").write_text("longer than it was"),
        lambda: (model / "checkpoint_last.pt").write_text("one more"),
        lambda: shutil.rmtree(model),
    ):
        change()
        after = record()
        assert after["--model"] != before["--model"]
        before = after


def test_a_file_and_a_name_on_the_hub(record, model):
    file = model / "checkpoint_best.pt"
    one = record(checkpoint=file)
    assert one["--model"].startswith(f"{file}, state ") and one == record(checkpoint=file)
    file.write_text("other")
    assert record(checkpoint=file) != one
    assert record(checkpoint="org/name")["--model"].startswith("org/name, state ")


def test_the_packaged_file_is_behind_its_name(record, tmp_path, monkeypatch):
    file = tmp_path / "e5-small-q4.bin"
    file.write_bytes(b"one")
    monkeypatch.setattr(packaged, "find", lambda: file)
    before = record(checkpoint="e5-small")
    assert before == record(checkpoint="e5-small")
    file.write_bytes(b"another")
    assert record(checkpoint="e5-small") != before
