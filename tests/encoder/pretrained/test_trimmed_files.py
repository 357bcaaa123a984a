"""Trimmed models written and put back, and what they may not replace."""

import pytest
from support.text import LINES, train_symbols, write_bert

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.reading import read_pretrained, read_tokenizer
from xalign_fairseq.encoder.pretrained.trimmed_files import write_trimmed, write_untrimmed


@pytest.fixture
def model(tmp_path):
    write_bert(tmp_path / "bert.pt", train_symbols(LINES))
    return tmp_path / "bert.pt"


@pytest.fixture
def text(tmp_path):
    (tmp_path / "a.xx").write_text(f"{LINES[0]}\n", encoding="utf-8")
    return str(tmp_path / "a.xx")


def test_there_and_back(model, text, tmp_path):
    small, whole = tmp_path / "small.pt", tmp_path / "whole.pt"
    told = write_trimmed(model, [text], small, floor=0)
    sizes = [read_tokenizer(path).dictionary.embedding_size for path in (small, model)]
    assert sizes[0] < sizes[1] and told.startswith(f"{sizes[0]} ids (before: {sizes[1]})")
    assert write_untrimmed(small, model, whole).startswith(f"{sizes[1]} ids (before: {sizes[0]})")
    before, after = (read_pretrained(path)[0]["model"] for path in (model, whole))
    assert all(after[key].equal(value) for key, value in before.items() if key in after)


def test_nothing_that_is_read_is_replaced(model, text, tmp_path):
    small = tmp_path / "small.pt"
    for out in (model, text):
        with pytest.raises(XalignError):
            write_trimmed(model, [text], out, overwrite=True)
    write_trimmed(model, [text], small)
    with pytest.raises(XalignError, match="exists already"):
        write_trimmed(model, [text], small)
    for out in (small, model):
        with pytest.raises(XalignError, match="which would be lost"):
            write_untrimmed(small, model, out, overwrite=True)
