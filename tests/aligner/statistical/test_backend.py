"""Which code runs the passes."""

import logging

import pytest

from xalign_fairseq.aligner.statistical import backend as backends
from xalign_fairseq.aligner.statistical import compiled, reference
from xalign_fairseq.core.errors import XalignError


@pytest.fixture(autouse=True)
def _anew(monkeypatch):
    monkeypatch.setattr(backends, "_selected", "auto")
    backends._fault.cache_clear()
    yield
    backends._fault.cache_clear()


def without_compiler(kind):
    raise XalignError("there is no C++ compiler")


def test_the_compiled_code_runs_unless_another_choice_is_made(caplog):
    caplog.set_level(logging.INFO)
    assert backends.backend() is compiled and "compiled" in caplog.text
    backends.select("reference")
    assert backends.backend() is reference
    with pytest.raises(XalignError, match="no such backend"):
        backends.select("gpu")


def test_without_a_compiler_the_reference_runs_and_says_so(monkeypatch, caplog):
    monkeypatch.setattr(backends, "library", without_compiler)
    assert backends.backend() is backends.backend() is reference
    assert caplog.text.count("there is no C++ compiler") == 1
    with pytest.raises(XalignError, match=r"no C\+\+ compiler"):
        backends.select("cpu")
    assert backends.backend() is reference
