"""What determines the output: equal for equal runs, different for anything that changes a line."""

import os
import shutil

import pytest

from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.run_record import run_record
from xalign_fairseq.encoder.pretrained import packaged
from xalign_fairseq.transport.linking import Linking


@pytest.fixture
def model(tmp_path):
    """A folder as training leaves it."""
    (tmp_path / "model").mkdir()
    for name in ("checkpoint_best.pt", "dict.txt", "sentencepiece.model"):
        (tmp_path / "model" / name).write_text(name)
    return tmp_path / "model"


@pytest.fixture
def record(model, tmp_path):
    """The function that gives the record of a run on two files."""
    for name in ("text.en", "text.de"):
        (tmp_path / name).write_text(f"{name}\n")

    def make(checkpoint=model, src=tmp_path / "text.en", **options):
        text = (str(src), str(tmp_path / "text.de"))
        return run_record(text, str(checkpoint), AlignerOptions(**options), format="json")

    return make


@pytest.mark.parametrize(
    "options", [{"device": "cpu"}, {"batch_tokens": 7}, {"sinkhorn_backend": "cpu"}, {"processes": 2}]
)
def test_settings_that_change_no_link_are_not_recorded(record, options):
    assert record(**options) == record()


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"linking": Linking(layers=(3,))}, "layer"),
        ({"linking": Linking("argmax")}, "method"),
        ({"linking": Linking(encoding="joint")}, "encoding"),
        ({"dtype": "bfloat16"}, "dtype"),
        ({"languages": ("de", "en")}, "languages"),
        ({"min_probability": 0.5}, "min_probability"),
    ],
)
def test_settings_that_change_a_line_are_recorded(record, options, name):
    one, other = record(), record(**options)
    assert {key for key in {**one, **other} if one.get(key) != other.get(key)} == {name}


def test_a_text_is_its_content_whatever_its_name(record, tmp_path):
    before = record()
    os.utime(tmp_path / "text.en", (1, 1))
    assert record() == before
    (tmp_path / "text.en").write_text("other\n")
    assert record()["src"] != before["src"] and record()["tgt"] == before["tgt"]


def test_a_model_is_identified_by_sizes_and_times_of_its_files(record, model, monkeypatch):
    before = record()
    monkeypatch.chdir(model.parent)
    assert record(checkpoint="model/../model/") == before  # the same files
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
        assert after["model"] != before["model"]
        before = after


def test_the_packaged_model_is_identified_by_its_file(record, tmp_path, monkeypatch):
    file = tmp_path / "e5-small-q4.bin"
    file.write_bytes(b"one")
    monkeypatch.setattr(packaged, "find", lambda: file)
    before = record(checkpoint="e5-small")
    assert before == record(checkpoint="e5-small")
    file.write_bytes(b"another")
    assert record(checkpoint="e5-small") != before
