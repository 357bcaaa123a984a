import logging

import pytest

from xalign_fairseq.aligner.statistical import backend as backends
from xalign_fairseq.aligner.statistical import compiled, reference
from xalign_fairseq.core.errors import XalignError


@pytest.fixture(autouse=True)
def _anew():
    backends.backend.cache_clear()
    yield
    backends.backend.cache_clear()


def without_compiler(kind):
    raise XalignError("there is no C++ compiler")


def test_without_a_compiler_the_reference_runs_and_logs_why(monkeypatch, caplog):
    caplog.set_level(logging.INFO)
    assert backends.backend() is compiled and "compiled" in caplog.text
    monkeypatch.setattr(backends, "library", without_compiler)
    backends.backend.cache_clear()
    assert backends.backend() is backends.backend() is reference
    assert caplog.text.count("there is no C++ compiler") == 1
