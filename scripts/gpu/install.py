"""The stage install: unpack the kit's data and make an environment that adds missing packages to this Python's.

usage: install.py KIT WORK     makes WORK/env and WORK/data; downloads nothing and changes nothing outside WORK

The new environment also reads the packages of the interpreter that runs this, even if that is a virtual environment,
so that torch is the machine's own.
"""

import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Sequence
from pathlib import Path

import kit as kits

SITES = ("site-packages", "dist-packages")


def install(kit: Path, work: Path) -> Path:
    """Make a new WORK/env and return its interpreter."""
    wheels, environment = kit / kits.WHEELS, work / "env"
    shutil.rmtree(environment, ignore_errors=True)
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    version = "python{}.{}".format(*sys.version_info)
    lines = [f"import site; site.addsitedir({site!r})\n" for site in sites(sys.path)]
    (environment / "lib" / version / "site-packages" / "machine.pth").write_text("".join(lines))
    # Run pip from its wheel: the machine may not have pip.
    pip = [str(python), str(one(wheels, "pip-*.whl") / "pip"), "--isolated", "install", "--no-index", "--no-deps"]
    pip += ["--no-compile", "--no-cache-dir", "--disable-pip-version-check", "--find-links", str(wheels)]
    # Without --upgrade: packages of the machine that fit stay.
    run([*pip, "--requirement", str(kit / kits.REQUIREMENTS)])
    run([*pip, "--force-reinstall", str(one(wheels, "xalign_fairseq-*.whl"))])
    if (kit / kits.DATA).exists():
        with tarfile.open(kit / kits.DATA) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python before 3.11.4 has none
            archive.extractall(work / "data")
    return python


def sites(path: Sequence[str]) -> list[str]:
    """The folders of installed packages on a search path."""
    return [entry for entry in path if Path(entry).name in SITES and Path(entry).is_dir()]


def one(folder: Path, pattern: str) -> Path:
    """The only file of a name."""
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise kits.KitError(f"{folder} has {len(found)} files {pattern} where one is expected; pack the kit again")
    return found[0]


def run(command: Sequence[str]) -> None:
    """Print a command and run it."""
    print(*command, flush=True)
    if subprocess.run(command, check=False).returncode:
        raise kits.KitError(f"this failed: {' '.join(command)}")


def main() -> int:
    if len(sys.argv) != 3:
        raise kits.KitError(__doc__ or "")
    kit, work = map(Path, sys.argv[1:])
    kits.read(kit)
    install(kit.resolve(), work.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(kits.tell(main))
