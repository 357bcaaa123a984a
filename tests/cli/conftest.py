"""A checkpoint as fairseq writes it, with a tiny untrained encoder, and text to align with it."""

import io
import json
from contextlib import redirect_stdout

import pytest
from support.tiny_checkpoint import tiny_checkpoint, tiny_spm, tiny_state, tiny_text  # noqa: F401
from support.transfer_data import right, write_run  # noqa: F401

from xalign_fairseq.cli import _doctor_environment, _doctor_transformers, main
from xalign_fairseq.core import installed
from xalign_fairseq.transport.sinkhorn import backend, building


@pytest.fixture
def no_transformers(monkeypatch):
    """The doctor does not import transformers, which takes seconds."""
    monkeypatch.setattr(_doctor_transformers, "transformers", list)


@pytest.fixture
def printed_json():
    """The function that runs a command with ``--json`` in this process: what it prints."""

    def run(*argv):
        with redirect_stdout(io.StringIO()) as out:
            assert main([*map(str, argv), "--json"]) == 0
        return json.loads(out.getvalue())

    return run


@pytest.fixture
def nothing_decided():
    """The function that forgets which operators were built and chosen, as a new process has; forgotten afterwards."""

    def forget():
        for module in (backend, building):
            for each in vars(module).values():
                if hasattr(each, "cache_clear"):
                    each.cache_clear()

    forget()
    yield forget
    forget()


@pytest.fixture
def versions(monkeypatch):
    """The function that has these versions installed (empty: not there), and setup.py ask for three packages."""
    real, asked = installed.version, ["torch>=2.6", "numpy>=2", 'regex; extra == "train"']

    def have(changes):
        for module in (installed, _doctor_environment, _doctor_transformers):
            monkeypatch.setattr(module, "version", lambda name: changes.get(name, real(name)))
        monkeypatch.setattr(installed.metadata, "requires", lambda name: asked)

    return have
