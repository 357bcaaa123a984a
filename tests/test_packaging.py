import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from xalign_fairseq import __version__
from xalign_fairseq.core.installation import INSTALL_FAIRSEQ, requirements

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
    """The path of the built file; the build imports neither torch nor fairseq."""
    env = {**os.environ, "XALIGN_BUILD_OPS": "", **environment}
    line = [sys.executable, "-c", BUILD, what, str(out)]
    done = subprocess.run(line, cwd=source, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return out / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The content of a source distribution, built in a folder that had compiled for itself."""
    folder = tmp_path_factory.mktemp("source")
    for name in ("setup.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    ignored = shutil.ignore_patterns("__pycache__", "lib")
    shutil.copytree(ROOT / "xalign_fairseq", folder / "xalign_fairseq", ignore=ignored)
    (folder / LIB).mkdir(parents=True)
    (folder / LIB / "build.json").write_text("{}")
    archive = build("sdist", folder, folder / "dist")
    with tarfile.open(archive) as content:
        content.extraction_filter = getattr(tarfile, "data_filter", None)  # Python before 3.11.4 has none
        content.extractall(folder / "extracted")
    (top,) = (folder / "extracted").iterdir()
    return top


@pytest.mark.slow
def test_without_a_request_nothing_is_compiled(source, tmp_path):
    wheel = build("wheel", source, tmp_path)
    names = zipfile.ZipFile(wheel).namelist()
    assert wheel.name.endswith("-py3-none-any.whl") and not [name for name in names if name.startswith(LIB)]
    assert "xalign_fairseq/evaluation/papers/xlm_align.tsv" in names
    assert "xalign_fairseq/encoder/pretrained/xlm_r_charsmap.xz" in names
    native = {Path(name).name for name in names if "/csrc/" in name}
    assert native == {path.name for path in (ROOT / LIB).parents[1].joinpath("csrc").iterdir()}


@pytest.mark.slow
def test_a_source_distribution_has_the_repositorys_files(tmp_path):
    """The tests run from it; it has the files that git tracks in their present state."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("not a git repository")
    names = {name for name in tracked.stdout.splitlines() if (ROOT / name).is_file()}
    for name in names:
        (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "source" / name)
    with tarfile.open(build("sdist", tmp_path / "source", tmp_path / "dist")) as content:
        held = {member.name.partition("/")[2] for member in content.getmembers() if member.isfile()}
    made = {"PKG-INFO", "setup.cfg", *(name for name in held if "egg-info/" in name)}
    assert held - made == {name for name in names if not name.startswith(".")}


def test_the_version_is_the_same_everywhere():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    heading = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1].split("\n")[0]
    assert re.fullmatch(rf"{re.escape(__version__)} \((unreleased|\d{{4}}-\d\d-\d\d)\)", heading)


def test_the_changelogs_sections_have_one_order():
    order = ["Breaking", "Added", "Changed", "Fixed", "Removed"]
    versions = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1:]
    for version in versions:
        title, *sections = version.split("\n### ")
        names = [section.split("\n")[0] for section in sections]
        assert names == [name for name in order if name in names], title
        assert names and "\n- " not in title, f"{title.splitlines()[0]} has entries without a section"
        assert "**Breaking**" not in version, "breaking changes belong under Breaking"


@pytest.mark.slow
def test_the_released_wheel_works_in_a_new_environment(source, tmp_path):
    """Compiles for every CPU and installs torch, which takes minutes."""
    wheel = build("wheel", source, tmp_path, XALIGN_BUILD_OPS="cpu-all")
    smoke = [sys.executable, ROOT / "scripts/smoke_wheel.py", wheel, "--constraints", ROOT / "constraints.txt"]
    done = subprocess.run(smoke, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert done.stdout.count("ok: ") == 5


@pytest.mark.slow
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


@pytest.fixture(scope="module")
def alone(source, tmp_path_factory):
    """A function that runs ``xalign`` after ``pip install .``, on a machine without a compiler.

    Only the wheel and its requirements can be imported.
    """
    site = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(build("wheel", source, tmp_path_factory.mktemp("wheel"))).extractall(site)
    (own,) = metadata.distributions(path=[str(site)])
    waiting, linked = list(own.requires or []), set()
    while waiting:
        wanted = Requirement(waiting.pop())
        if wanted.name in linked or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        linked.add(wanted.name)
        there = metadata.distribution(wanted.name)
        for top in {file.parts[0] for file in there.files or []} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(there.locate_file(top))
        waiting += there.requires or []
    assert not linked & {"fairseq-fixed", "hydra-core", "omegaconf"}
    cache = str(tmp_path_factory.mktemp("cache"))
    environment = {**os.environ, "PYTHONPATH": str(site), "CXX": "no-such-compiler", "XALIGN_CACHE": cache}

    def run(*command):
        # -S: without the packages of this environment
        line = [sys.executable, "-S", "-m", "xalign_fairseq", *map(str, command)]
        return subprocess.run(line, cwd=site, env=environment, capture_output=True, text=True)

    return run


@pytest.fixture
def text(tmp_path):
    """Two files of two sentences."""
    (tmp_path / "text.en").write_text("the old house\nAnn sees the river .\n")
    (tmp_path / "text.de").write_text("the house\nthe king finds Oslo .\n")
    return ["--src", tmp_path / "text.en", "--tgt", tmp_path / "text.de"]


@pytest.mark.slow
def test_the_wheel_alone_aligns(alone, transfer_encoder, text):
    done = alone("align", "--model", transfer_encoder, *text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 2 and "0-0" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", ["train-aligner", "transfer"])
def test_without_fairseq_training_commands_show_how_to_install_it(command, alone, transfer_encoder, text, tmp_path):
    options = {
        "train-aligner": ["--model", transfer_encoder, *text],
        "transfer": ["--model", f"one={transfer_encoder}", "--data", tmp_path, "--languages", "en"],
    }
    done = alone(command, *options[command], "--out", tmp_path / "out")
    assert done.returncode == 2
    assert f"xalign {command}: error: training needs fairseq" in done.stderr
    first, second, *_ = requirements("train")
    assert f"next: pip install {first} {second}" in done.stderr and f"{INSTALL_FAIRSEQ}\n" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_without_fairseq_nothing_is_wrong(alone):
    done = alone("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "note  fairseq: not installed" in done.stdout and "patches" not in done.stdout
