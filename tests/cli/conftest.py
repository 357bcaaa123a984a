import io
import json
from contextlib import redirect_stdout

import pytest
from support.operators import nothing_decided  # noqa: F401
from support.tiny_checkpoint import tiny_checkpoint, tiny_spm, tiny_state, tiny_text  # noqa: F401
from support.transfer_data import right, write_run  # noqa: F401

from xalign_fairseq.cli import main


@pytest.fixture
def no_transformers(monkeypatch):
    """The doctor does not import transformers, which takes seconds."""
    monkeypatch.setattr("xalign_fairseq.core.installation.transformers", list)


@pytest.fixture
def printed_json():
    """A function that runs a command with ``--json`` in this process and returns the parsed output."""

    def run(*argv):
        with redirect_stdout(io.StringIO()) as out:
            assert main([*map(str, argv), "--json"]) == 0
        return json.loads(out.getvalue())

    return run
