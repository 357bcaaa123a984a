import json
import sys

import pytest

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
def machine(script, monkeypatch):
    """The machine's reported properties; nothing else of it is used."""
    found = dict(MACHINE)
    monkeypatch.setattr(script("run"), "look", lambda python, modules: found)
    return found
