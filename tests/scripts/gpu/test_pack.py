import ensurepip
import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.processes import program

ROOT = Path(__file__).parents[3]
PACK = ROOT / "scripts/gpu/pack.sh"
HERE = "{}.{}".format(*sys.version_info)
# Fast fake compilers: other tests compile the kernels as users do.
COMPILERS = {
    "bin/nvcc": """if [ "$1" = --version ]; then echo 'release 13.0,'; else touch "${@: -1}"; fi""",
    "c++": 'exec c++ "$@" -O0',
}

pytestmark = pytest.mark.slow  # packs this environment


def pack(kit, **environment):
    env = {**os.environ, "PYTHON": sys.executable, "TARGET": HERE, "BENCHMARK": "/no/such/folder", **environment}
    return subprocess.run(["bash", str(PACK), str(kit)], env=env, capture_output=True, text=True)


def fits(requirement):
    try:
        return requirement.specifier.contains(version(requirement.name))
    except PackageNotFoundError:
        return False


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """A folder with pip's wheel, and an empty wheel for each package that this environment lacks; their names."""
    folder = tmp_path_factory.mktemp("wheels")
    bundled = sysconfig.get_config_var("WHEEL_PKG_DIR") or Path(ensurepip.__file__).parent / "_bundled"  # Debian's
    [pip] = Path(bundled).glob("pip-*.whl")
    (folder / pip.name).write_bytes(pip.read_bytes())
    lines = (ROOT / "scripts/gpu/requirements.txt").read_text().splitlines()
    lacking = [each for each in map(Requirement, (line for line in lines if line[0] != "#")) if not fits(each)]
    for each in lacking:
        number = next((one.version for one in each.specifier), "1")
        stem = f"{each.name.replace('-', '_')}-{number}"
        files = {"METADATA": f"Metadata-Version: 2.1\nName: {each.name}\nVersion: {number}\n"}
        files |= {"WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
        record = "".join(f"{stem}.dist-info/{name},,\n" for name in (*files, "RECORD"))
        with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as out:
            for name, text in {**files, "RECORD": record}.items():
                out.writestr(f"{stem}.dist-info/{name}", text)
    return folder, [each.name for each in lacking]


def test_the_kit_has_all_requirements_of_the_package():
    """Except torch and numpy, which the machine provides."""
    lines = (ROOT / "scripts/gpu/requirements.txt").read_text().splitlines()
    packed = {canonicalize_name(Requirement(line).name) for line in lines if line[0] != "#"}
    asked = [Requirement(line) for line in requires("xalign_fairseq")]
    names = {
        canonicalize_name(each.name) for each in asked if each.marker is None or each.marker.evaluate({"extra": ""})
    }
    assert "sentencepiece" in names and names - packed == {"torch", "numpy"}


@pytest.mark.slow
def test_a_kit_is_packed_without_a_network_and_its_first_stages_run(wheels, tmp_path):
    folder, lacking = wheels
    kit, out, work = tmp_path / "kit", tmp_path / "out", tmp_path / "work"
    for name, text in COMPILERS.items():
        program(tmp_path / name, f"#!/usr/bin/env bash\n{text}\n")
    compilers = {"CUDA_HOME": str(tmp_path), "CXX": str(tmp_path / "c++"), "TORCH_CUDA_ARCH_LIST": ""}
    done = pack(kit, WHEELS=str(folder), **compilers)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "compiling for cuda (90a)" in done.stdout
    assert "No assemble.py in /no/such/folder: the kit has no data" in done.stdout
    assert "MB  wheels" in done.stdout and "in all, of at most 55" in done.stdout
    manifest = json.loads((kit / "kit.json").read_text())
    assert manifest["python"] == HERE and not (kit / "data.tar.xz").exists()

    run = ["bash", str(kit / "source/scripts/gpu/run.sh"), str(kit), str(out), "--work", str(work)]
    env = {**os.environ, "PYTHON": sys.executable, "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": "/no/such/folder"}
    done = subprocess.run(run, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr + (out / "doctor.log").read_text()
    results = {path.stem: json.loads(path.read_text()) for path in out.glob("*.json")}
    assert results["install"]["status"] == results["doctor"]["status"] == "passed"
    others = {name: (result["status"], result["reason"]) for name, result in results.items() if "reason" in result}
    assert others.keys() == results.keys() - {"install", "doctor"}
    assert set(others.values()) == {("not measured", "there is no CUDA device")}
    assert {result["commit"] for result in results.values()} == {manifest["commit"]}

    site = work / "env/lib" / f"python{HERE}" / "site-packages"
    assert f"in {site}/xalign_fairseq" in (out / "doctor.log").read_text()  # the kit's package, not this environment's
    installed = {path.name.split("-")[0].replace("_", "-") for path in site.glob("*.dist-info")}
    assert installed == {"xalign-fairseq", *lacking}  # otherwise only missing packages


def test_no_kit_where_git_would_take_it_in(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    done = pack(tmp_path / "kit")
    assert done.returncode == 2 and "is in a repository that does not ignore it" in done.stderr
    (tmp_path / ".gitignore").write_text("/kit/\n")
    done = pack(tmp_path / "kit", WHEELS="/no/such/folder")  # continues, and stops at the wheels
    assert "repository" not in done.stderr and "no/such/folder" in done.stderr
    (tmp_path / "kit/wheels/old.whl").touch()
    pack(tmp_path / "kit", WHEELS="/no/such/folder", TARGET="3.9")
    assert not any((tmp_path / "kit/wheels").iterdir())  # they were for another Python
