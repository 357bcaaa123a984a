"""Every script says how it is used."""

import runpy
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
PARSING = sorted(
    str(path.relative_to(SCRIPTS)) for path in SCRIPTS.rglob("*.py") if "ArgumentParser(" in path.read_text("utf-8")
)


def test_scripts_that_parse_are_found():
    assert "benchmark_training.py" in PARSING and len(PARSING) > 10


@pytest.mark.parametrize("name", PARSING)
def test_help_is_printed(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    for folder in (SCRIPTS, (SCRIPTS / name).parent):
        monkeypatch.syspath_prepend(str(folder))
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(SCRIPTS / name), run_name="__main__")
    assert not end.value.code
    assert capsys.readouterr().out.startswith(f"usage: {Path(name).name}")
