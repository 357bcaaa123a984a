"""Memory that is freed and taken again."""

import ctypes
import platform
from types import SimpleNamespace

import pytest

from xalign_fairseq.launch.memory import keep_freed_memory


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is another")
def test_glibc_takes_both_thresholds():
    assert keep_freed_memory()


@pytest.mark.parametrize("answers", [{-3: 1, -1: 1}, {-3: 0, -1: 1}, {-3: 1, -1: 0}])
def test_it_says_whether_the_c_library_took_all(monkeypatch, answers):
    asked = []
    library = SimpleNamespace(mallopt=lambda option, value: asked.append((option, value)) or answers[option])
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)
    assert keep_freed_memory() == all(answers.values())
    assert asked == [(-3, 32 * 2**20), (-1, 2**31 - 1)]  # malloc.h: M_MMAP_THRESHOLD, M_TRIM_THRESHOLD


def test_other_c_libraries_are_left_alone(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not keep_freed_memory()
