import importlib
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def script(monkeypatch):
    """A function that imports a module of scripts/."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module
