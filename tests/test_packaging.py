"""Wheels and source distributions, made from a copy of the sources as pip makes them."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BUILD = """
import sys
from setuptools import build_meta
print(getattr(build_meta, f"build_{sys.argv[1]}")(sys.argv[2]))
assert not {"torch", "fairseq"} & sys.modules.keys()
"""
USE = """
from xalign_fairseq.transport.sinkhorn import building
print(building.built("cpu").folder)
"""
LIB = "xalign_fairseq/transport/sinkhorn/lib/cpu"


def build(what, source, out, **environment):
    """The path of the file that a build makes; the build imports neither torch nor fairseq."""
    env = {**os.environ, "XALIGN_BUILD_OPS": "", **environment}
    line = [sys.executable, "-c", BUILD, what, str(out)]
    done = subprocess.run(line, cwd=source, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return out / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """What a source distribution holds; the folder that it was made from had once compiled for itself."""
    folder = tmp_path_factory.mktemp("source")
    for name in ("setup.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    ignored = shutil.ignore_patterns("__pycache__", "lib")
    shutil.copytree(ROOT / "xalign_fairseq", folder / "xalign_fairseq", ignore=ignored)
    (folder / LIB).mkdir(parents=True)
    (folder / LIB / "build.json").write_text("{}")
    archive = build("sdist", folder, folder / "dist")
    with tarfile.open(archive) as content:
        content.extractall(folder / "extracted", filter="data")
    (top,) = (folder / "extracted").iterdir()
    return top


def test_without_a_wish_nothing_is_compiled(source, tmp_path):
    wheel = build("wheel", source, tmp_path)
    names = zipfile.ZipFile(wheel).namelist()
    assert wheel.name.endswith("-py3-none-any.whl") and not [name for name in names if name.startswith(LIB)]
    native = {Path(name).name for name in names if "/csrc/" in name}
    assert native == {path.name for path in (ROOT / LIB).parents[1].joinpath("csrc").iterdir()}


def test_a_wheel_with_the_cpu_library_uses_it(source, tmp_path):
    wheel = build("wheel", source, tmp_path, XALIGN_BUILD_OPS="cpu")
    assert "-py3-none-" in wheel.name and not wheel.name.endswith("-any.whl")
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    env = {
        **os.environ,
        "PYTHONPATH": str(installed),
        "CXX": "no-such-compiler",
        "XALIGN_CACHE": str(tmp_path / "cache"),
    }
    done = subprocess.run([sys.executable, "-c", USE], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip() == str(installed / LIB)


def test_a_wish_that_means_nothing_is_refused(source, tmp_path):
    line = [sys.executable, "-c", BUILD, "wheel", str(tmp_path)]
    done = subprocess.run(
        line, cwd=source, env={**os.environ, "XALIGN_BUILD_OPS": "gpu"}, capture_output=True, text=True
    )
    assert done.returncode and "no such native library" in done.stderr
