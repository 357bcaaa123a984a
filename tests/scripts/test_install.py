"""scripts/install.sh and test.sh with stand-ins for the commands that they call, and the versions that they install."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from xalign_fairseq.core.installation import FAIRSEQ, INSTALL_FAIRSEQ

ROOT = Path(__file__).parents[2]
LINES = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
PINNED = {canonicalize_name(name): version for name, version in (line.split("==") for line in LINES)}


@pytest.fixture
def called(tmp_path):
    """A function that runs a line of bash where other programs only record their arguments."""
    stand_in = (
        f'#!/bin/bash\necho "$(basename "$0") ${{*@Q}}" >> {tmp_path}/calls\n[[ "$1" != -c || -n "$COMPLETE" ]]\n'
    )
    for name in ("python", "ruff", "mypy", "shellcheck", "pytest", "nvidia-smi"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(stand_in)
        program.chmod(0o755)

    def run(line, **environment):
        path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
        own = {"PATH": path, "VIRTUAL_ENV": str(tmp_path), "COMPLETE": "", "XALIGN_INSTALL": ""}
        env = {**os.environ, **own, **environment}
        done = subprocess.run(["bash", "-euc", line], cwd=ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return (tmp_path / "calls").read_text().replace("'", ""), done.stdout + done.stderr

    return run


@pytest.mark.parametrize(
    ("level", "extras"), [("user", "[train,plot,model]"), ("test", "[train,plot,model,test,docs]")]
)
def test_each_level_installs_its_requirements_and_fairseq_separately(level, extras, called):
    calls, _ = called(f"source scripts/install.sh {level}")
    package, fairseq = calls.splitlines()[-2:]
    assert package.endswith(f"-e {ROOT}{extras}") and "--no-build-isolation" not in package
    assert fairseq.endswith("--no-build-isolation --no-deps fairseq-fixed")
    assert calls.count(f"-c {ROOT}/constraints.txt") == calls.count("pip install") == 3


@pytest.mark.parametrize(("options", "given"), [("", "tests"), ("--all", "--durations=25 --durations-min=8 -m= tests")])
def test_slow_tests_are_left_out_unless_all_are_asked_for(options, given, called):
    calls, told = called(f"bash scripts/test.sh {options} tests", COMPLETE="1")
    (line,) = [line for line in calls.splitlines() if line.startswith("pytest")]
    assert line.endswith(f"--no-loadscope-reorder {given}")
    assert told.count("--all runs them too") == (not options)


def test_all_that_is_installed_has_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = [*project["dependencies"], *(name for extra in ("train", "plot", "test") for name in extras[extra])]
    wanted = [Requirement(name) for name in named]
    assert len(wanted) > 20
    for each in (*wanted, Requirement(FAIRSEQ)):
        assert each.specifier.contains(PINNED[canonicalize_name(each.name)]), each
    assert not [version for version in PINNED.values() if not re.fullmatch(r"[\w.]+", version)]  # torch 2.13.0+cpu


def test_readme_installs_fairseq_as_the_messages_say():
    assert f"    {INSTALL_FAIRSEQ} " in (ROOT / "README.md").read_text()


def test_no_message_advises_a_package_that_does_not_exist():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("examples/*/*.md"), *ROOT.glob("xalign_fairseq/**/*.py")]
    assert len(pages) > 200
    assert not [page for page in pages if re.search(r"xalign_fairseq\[", page.read_text(encoding="utf-8"))]
