import types

import numpy
import pytest
from fairseq.data import TokenBlockDataset

from xalign_fairseq.trainer.compat import numpy_long


def blocks():
    sentences = [[4, 5, 6, 2], [7, 2]]
    return TokenBlockDataset(sentences, numpy.array([4, 2]), block_size=None, pad=1, eos=2, break_mode="eos")


def test_supplied_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(numpy.__dict__, "compat", None)
    assert numpy_long.needed()
    with pytest.raises(AttributeError):
        blocks()
    numpy_long.install()
    assert numpy.compat.long is int  # noqa: NPY201
    assert not numpy_long.needed()
    assert blocks().sizes.tolist() == [4, 2]


def test_left_alone_where_it_is_there(monkeypatch):
    there = types.SimpleNamespace(long=numpy.int64)
    monkeypatch.setitem(numpy.__dict__, "compat", there)
    numpy_long.install()
    assert numpy.__dict__["compat"] is there
