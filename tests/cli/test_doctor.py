"""``xalign doctor`` as a whole: its sections, its last line and its exit code."""

import argparse
import re
import sys

import numpy
import pytest

from xalign_fairseq.cli import doctor, main
from xalign_fairseq.data.mmap import MMapWriter
from xalign_fairseq.data.tokenizers.dictionary import Dictionary


@pytest.fixture
def data_bin(tmp_path, tiny_state):
    """A data-bin with the dictionary of the tiny checkpoint."""
    Dictionary(tiny_state["task_state"]["tokenizer"]["symbols"][4:]).save(tmp_path / "dict.txt")
    for lang, items in (("en", [[4, 5, 2], [6, 2]]), ("de", [[7, 2], [8, 9, 2]])):
        with MMapWriter(tmp_path / f"train.en-de.{lang}", numpy.uint16) as writer:
            for item in items:
                writer.add(item)
    return tmp_path


def test_a_healthy_installation_and_data_bin(data_bin, tiny_checkpoint, capsys):
    assert main(["doctor", str(data_bin), str(tiny_checkpoint)]) == 0
    out = capsys.readouterr().out
    assert out.endswith("Nothing is wrong.\n")
    for said in ("fairseq-fixed 0.12.3.1", "numpy.compat.long: ", "Sinkhorn on cpu: ", "apex: ", "GPU", "nvcc: "):
        assert said in out
    assert "train en-de: 2 pairs, 5 + 5 tokens, no links" in out
    assert f"fits the dictionary of {data_bin}" in out


@pytest.mark.usefixtures("no_transformers")
def test_something_wrong_gives_exit_code_1(tmp_path, capsys):
    assert main(["doctor", str(tmp_path / "nowhere")]) == 1
    out = capsys.readouterr().out
    assert "WRONG" in out
    assert "1 of " in out


@pytest.mark.usefixtures("no_transformers")
def test_logging_is_left_as_it_was():
    import logging

    doctor.run(argparse.Namespace(paths=[]))
    assert logging.root.manager.disable == logging.NOTSET


@pytest.mark.usefixtures("no_transformers")
def test_a_package_that_lacks_is_told_and_the_rest_is_looked_at(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "msgspec", None)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert re.search(r"^GPUs\n  WRONG GPUs: not looked at: .*msgspec", out, re.MULTILINE)
    assert " checks found something wrong.\n" in out
