import importlib
import json
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "scripts"
MACHINE = {
    "device": None,
    "devices": 0,
    "driver": None,
    "cpu": "a CPU",
    "python": "3.12.3",
    "torch": "2.11.0",
    "cuda": "13.0",
    "numpy": "2.5.2",
    "apex": None,
    "missing": [],
}


@pytest.fixture
def gpu_script(monkeypatch):
    """A function that imports a module of scripts/gpu/."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.syspath_prepend(str(SCRIPTS / "gpu"))
    return importlib.import_module


@pytest.fixture
def kit(tmp_path):
    """A kit for this Python."""
    folder = tmp_path / "kit"
    for name in ("wheels", "source"):
        (folder / name).mkdir(parents=True)
    (folder / "requirements.txt").touch()
    put(folder, commit="abc1234", python="{}.{}".format(*sys.version_info))
    return folder


def put(kit, **manifest):
    (kit / "kit.json").write_text(json.dumps(manifest))


@pytest.fixture
def machine(gpu_script, monkeypatch):
    """The machine's reported properties; nothing else of it is used."""
    found = dict(MACHINE)
    monkeypatch.setattr(gpu_script("run"), "look", lambda python, modules: found)
    return found
