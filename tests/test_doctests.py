"""Examples in docstrings in the form of a session are run and print what they show."""

import doctest
from importlib import import_module

import pytest
import structure

import xalign_fairseq

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
SESSIONS = [name for name, path in structure.modules().items() if ">>> " in path.read_text(encoding="utf-8")]


def run(name):
    """The numbers of a module's examples, all of them run, and of failures."""
    return doctest.testmod(import_module(name), optionflags=OPTIONS)


@pytest.mark.parametrize("name", SESSIONS)
def test_examples_print_their_output(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = run(name)
    assert tried and not failed


# Batches and AlignmentTrainer need prepared data.
WITHOUT_SESSION = {"XalignError", "__version__", "Batches", "AlignmentTrainer"}


@pytest.mark.parametrize("name", sorted(set(xalign_fairseq.__all__) - WITHOUT_SESSION))
def test_top_level_names_have_an_example(name):
    assert any(test.examples for test in doctest.DocTestFinder().find(getattr(xalign_fairseq, name), name))
