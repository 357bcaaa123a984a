"""Compile native sources into a shared library.

setup.py loads this file alone, so it does not import torch.
"""

import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from xalign_fairseq.core.devices import CPU_INFO
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_folder, file_sha256
from xalign_fairseq.core.json_files import read_json, write_json

SOURCES = {"cpu": "cpu.cpp", "cuda": "cuda.cu"}
LIBRARY, RECORD = "libxalign.so", "build.json"
CPU_FLAGS = ("-O3", "-std=c++17", "-fPIC", "-shared", "-ffp-contract=fast", "-fopenmp")
CUDA_FLAGS = ("-O3", "--threads=0", "-std=c++17", "-shared", "-Xcompiler", "-fPIC")
# The x86-64 target of a library for other machines, and the CPU features it needs, by their names in /proc/cpuinfo.
PORTABLE, PORTABLE_NEEDS = "x86-64-v3", ("abm", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe")
# Instructions that a compiler uses automatically and that not all CPUs have.
INSTRUCTIONS = r"sse4\w*|avx\w*|amx\w*|fma4?|f16c|bmi\d|abm|movbe|gfni|popcnt"
# Targets of a library for unknown GPUs; the PTX of the first runs on all others.
ARCHITECTURES = ("80", "90a", "100")
MESSAGE_LINES = 12


class Recipe(NamedTuple):
    """How to compile a library."""

    kind: str
    source: Path
    digest: str  # of the source and its headers
    compiler: str
    command: tuple[str, ...]
    target: str  # CUDA architectures; on a CPU: native, x86-64-v3 or the machine's name
    needs: tuple[str, ...] = ()  # instructions

    @property
    def key(self) -> str:
        """Digest of everything that affects the library, including the C library."""
        parts = (self.digest, self.compiler, *self.command, *self.needs, platform.machine(), *platform.libc_ver())
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def make_recipe(
    kind: str, folder: Path, capabilities: Iterable[tuple[int, int]] = (), *, portable: bool = False
) -> Recipe:
    """How to compile the ``cpu`` or ``cuda`` library on this machine; ``portable``: for all machines with AVX2."""
    digest = source_digest(kind, folder)
    if kind == "cpu":
        program, machine = find_compiler(), platform.machine()
        target, needs = (PORTABLE, PORTABLE_NEEDS) if portable else ("native", cpu_instructions())
        flags = [f"-march={target}"]
        if machine not in ("x86_64", "AMD64"):  # the compiler's default is enough
            target, needs, flags = machine, (), []
        command = (*program, *CPU_FLAGS, *flags, *(["-Wl,-rpath,$ORIGIN"] if portable else []))
        return Recipe(kind, folder / SOURCES[kind], digest, compiler_version(program), command, target, needs)
    nvcc = find_nvcc()
    architectures = cuda_architectures(nvcc, capabilities)
    command = (nvcc, *CUDA_FLAGS, *map(_gencode, architectures))
    compiler, target = f"nvcc {nvcc_release(nvcc)}", " ".join(architectures)
    return Recipe(kind, folder / SOURCES[kind], digest, compiler, command, target)


def source_digest(kind: str, folder: Path) -> str:
    """Digest of a library's source and of all headers, which include its interface."""
    if kind not in SOURCES:
        raise XalignError("unknown native library", found=kind, expected=" or ".join(SOURCES))
    source = folder / SOURCES[kind]
    if not source.is_file():
        raise XalignError("a native source is missing", where=source, remedy="reinstall xalign_fairseq")
    digest = hashlib.sha256()
    for path in (*sorted(folder.glob("*.h")), source):
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def compile_library(recipe: Recipe, folder: Path) -> None:
    """Compile into a folder, which appears complete or not at all, with a record of the build."""
    with atomic_folder(folder, overwrite=True) as new:
        command, message = list(recipe.command), ""
        failed = _run([*command, str(recipe.source), "-o", str(new / LIBRARY)])
        if failed and "-fopenmp" in command:  # some compilers have no OpenMP
            command.remove("-fopenmp")
            message = failed
            failed = _run([*command, str(recipe.source), "-o", str(new / LIBRARY)])
        if failed:
            raise XalignError(
                "the compiler does not accept the native source",
                where=recipe.source,
                found="\n".join(failed.splitlines()[:MESSAGE_LINES]),
                remedy=f"try it by hand: {shlex.join([*command, str(recipe.source), '-o', 'test.so'])}",
            )
        record = {
            "digest": recipe.digest,
            "target": recipe.target,
            "needs": recipe.needs,
            "compiler": recipe.compiler,
            "command": command,
            "no_openmp": "\n".join(message.splitlines()[:MESSAGE_LINES]),
            "library": file_sha256(new / LIBRARY),
        }
        write_json(new / RECORD, record)


def compile_portable(sources: Path, folder: Path) -> None:
    """Compile the CPU library for other machines, for a wheel, with a copy of OpenMP's library next to it.

    A process that has loaded torch's OpenMP by the same name uses torch's, so it has one pool of threads.
    """
    compile_library(make_recipe("cpu", sources, portable=True), folder)
    linked = subprocess.run(["ldd", folder / LIBRARY], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"(lib\w*omp\S*) => (/\S+)", linked)
    if not found:
        raise XalignError("a portable library needs OpenMP, which this compiler lacks", found=linked.strip())
    for name, path in found:
        shutil.copy(path, folder / name)


def read_record(folder: Path) -> dict[str, Any]:
    """The description that :func:`compile_library` wrote next to a library; empty if there is none."""
    try:
        return read_json(folder / RECORD)
    except (OSError, XalignError):
        return {}


def cpu_instructions() -> tuple[str, ...]:
    """The instructions of this CPU that a compiler may use, by their names in /proc/cpuinfo; () without that file."""
    try:
        found = re.search(r"^flags\s*:(.*)$", CPU_INFO.read_text(), re.MULTILINE)
    except OSError:
        return ()
    return tuple(sorted(name for name in found[1].split() if re.fullmatch(INSTRUCTIONS, name))) if found else ()


def find_compiler() -> list[str]:
    """The C++ compiler: $CXX, which may have arguments, otherwise the first of c++, g++ and clang++."""
    given = shlex.split(os.environ.get("CXX", ""))
    for name in given[:1] or ("c++", "g++", "clang++"):
        path = shutil.which(name)
        if path:
            return [path, *given[1:]]
    where, found = "$CXX" if given else "$PATH", given[0] if given else None
    remedy = "install g++, clang++ or another C++17 compiler, or name one in CXX"
    raise XalignError("there is no C++ compiler", where=where, found=found, remedy=remedy)


def compiler_version(compiler: Sequence[str]) -> str:
    answer = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False)
    return (answer.stdout.splitlines() or [Path(compiler[0]).name])[0].strip()


def find_nvcc() -> str:
    """CUDA's compiler: in $CUDA_HOME, on $PATH, or in /usr/local/cuda."""
    home = os.environ.get("CUDA_HOME")
    for place in (f"{home}/bin" if home else None, None, "/usr/local/cuda/bin"):  # None is $PATH
        path = shutil.which("nvcc", path=place)
        if path:
            return path
    where = "$CUDA_HOME/bin, $PATH, /usr/local/cuda/bin"
    remedy = "install the CUDA toolkit, or name its folder by CUDA_HOME"
    raise XalignError("there is no nvcc, CUDA's compiler", where=where, remedy=remedy)


def nvcc_release(nvcc: str) -> str:
    answer = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False)
    release = re.search(r"release ([\d.]+)", answer.stdout)
    if answer.returncode or not release:
        raise XalignError("nvcc does not report its version", where=nvcc, found=answer.stderr.strip()[:500] or None)
    return release[1]


def cuda_architectures(nvcc: str, capabilities: Iterable[tuple[int, int]]) -> list[str]:
    """The architectures to compile for, such as ``90a`` (only that architecture) or ``80+PTX`` (and later ones).

    They come from TORCH_CUDA_ARCH_LIST, otherwise from the GPUs, otherwise sm_80 with PTX, sm_90a and sm_100.
    """
    listed = re.split(r"[;\s]+", os.environ.get("TORCH_CUDA_ARCH_LIST", "").strip())
    if listed != [""]:
        return [_listed_architecture(entry) for entry in listed if entry]
    found = sorted({f"{major}{minor}" for major, minor in capabilities}, key=int)
    if found:
        # Only 90a has Hopper's instructions, which later GPUs lack.
        return ["90a" if architecture == "90" else architecture for architecture in found]
    known = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True, check=False).stdout.split()
    first, *rest = ARCHITECTURES
    return [f"{first}+PTX", *(entry for entry in rest if f"sm_{entry.rstrip('a')}" in known)]


def architecture_runs(architecture: str, capability: tuple[int, int]) -> bool:
    """Whether a GPU of a compute capability runs code of an architecture, named as in a recipe."""
    number, specific, ptx = re.fullmatch(r"(\d+)([af]?)(\+PTX)?", architecture).groups()  # type: ignore[union-attr]
    compiled, device = int(number), 10 * capability[0] + capability[1]
    if specific == "a":
        return compiled == device
    # Code runs on later GPUs of the same generation, PTX on all later GPUs, except PTX of a family.
    return compiled <= device and (bool(ptx and not specific) or compiled // 10 == capability[0])


def _listed_architecture(entry: str) -> str:
    match = re.fullmatch(r"(\d+)\.(\d[af]?)(\+PTX)?", entry)
    if not match:
        where, expected = "TORCH_CUDA_ARCH_LIST", "compute capabilities, as in '8.0;9.0a;10.0+PTX'"
        raise XalignError("an architecture is not a number", where=where, found=entry, expected=expected)
    return match[1] + match[2] + (match[3] or "")


def _gencode(architecture: str) -> str:
    number = architecture.removesuffix("+PTX")
    codes = [f"sm_{number}", *([f"compute_{number}"] if architecture != number else [])]
    return f"-gencode=arch=compute_{number},code=[{','.join(codes)}]"


def _run(command: Sequence[str]) -> str:
    """The message of a failed command; empty on success."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    return (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}") if done.returncode else ""
