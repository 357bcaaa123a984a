"""The native libraries: built with the package, compiled earlier and cached, or compiled now."""

import ctypes
import functools
import logging
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import file_sha256, hold
from xalign_fairseq.transport.sinkhorn.toolchain import (
    LIBRARY,
    Recipe,
    architecture_runs,
    compile_library,
    cpu_instructions,
    make_recipe,
    read_record,
    source_digest,
)

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """``$XALIGN_CACHE``, otherwise ``xalign_fairseq`` in the system's folder for caches; it may not exist yet."""
    if given := os.environ.get("XALIGN_CACHE"):
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "xalign_fairseq"


def make_private(folder: Path) -> None:
    """Make a cache folder and its parents, private to this user; PermissionError if one is not trusted."""
    for each in (cache_folder(), folder):
        each.mkdir(parents=True, exist_ok=True, mode=0o700)
        if reason := fault(each.resolve()):
            raise PermissionError(reason)


def fault(path: Path) -> str | None:
    """Why this folder is not trusted, for example because others can write to it; None if it is trusted.

    Files and folders of this user and of root are trusted, unless others may write to them or they are symbolic links.
    """
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        return f"{path} is a symbolic link"
    if found.st_uid not in (0, os.geteuid()):
        return f"{path} belongs to another user"
    if found.st_mode & OTHERS_WRITE:
        return f"other users can write to {path}; if its contents are yours, run chmod -R go-w on it"
    return None


logger = logging.getLogger(__name__)

SOURCE_FOLDER = Path(__file__).with_name("csrc")
PREBUILT_FOLDER = Path(__file__).with_name("lib")  # filled by XALIGN_BUILD_OPS=... pip install
PATIENCE = 1800.0  # seconds to wait for another process that compiles
OLDEST_CAPABILITY = (8, 0)  # the first capability with bfloat16 in its tensor cores


class Built(NamedTuple):
    """A loaded library, its folder, and the record of its compilation."""

    library: ctypes.CDLL
    folder: Path
    record: dict[str, Any]


def library(kind: str) -> ctypes.CDLL:
    return built(kind).library


@functools.cache
def built(kind: str) -> Built:
    """The native library for ``kind`` and its origin, compiled if needed; each call returns the same object.

    The package's library is used if it was built from the current sources and runs on this CPU or these GPUs. Otherwise
    the library in ``$XALIGN_CACHE`` (``~/.cache/xalign_fairseq``) is used; if it is missing, one process compiles it
    while the others wait.
    """
    fault = prebuilt_fault(kind)
    if fault is None:
        loaded = load(PREBUILT_FOLDER / kind)
        if loaded is not None:
            return loaded
    elif (PREBUILT_FOLDER / kind).is_dir():
        logger.warning("the library in %s is not used: %s", PREBUILT_FOLDER / kind, fault)
    recipe = make_recipe(kind, SOURCE_FOLDER, capabilities() if kind == "cuda" else ())
    with ExitStack() as stack:
        try:
            folder = cached_folder(recipe)
            make_private(folder.parent)
            loaded = _load_cached(folder)
            if loaded is not None:
                return loaded
            stack.enter_context(_locked(folder.parent / ".lock"))
        except (OSError, RuntimeError) as error:
            logger.warning("the cache can't be used (%s): the library is compiled only for this process", error)
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="xalign-"))) / kind
        return _load_cached(folder) or _compile(recipe, folder)


def prebuilt_fault(kind: str) -> str | None:
    """Why the library that was built with the package can't be used; None if it can."""
    folder = PREBUILT_FOLDER / kind
    record = read_record(folder)
    if not record or not (folder / LIBRARY).is_file():
        return "there is none"
    if record["digest"] != source_digest(kind, SOURCE_FOLDER):
        return f"it was built from other sources; set XALIGN_BUILD_OPS={kind} and install the package again"
    if missing := set(record["needs"]) - set(cpu_instructions()):
        return f"it needs {', '.join(sorted(missing))}, which this CPU lacks"
    for capability in capabilities() if kind == "cuda" else ():
        if not any(architecture_runs(architecture, capability) for architecture in record["target"].split()):
            return (
                f"it is for {record['target']} and a GPU here has compute capability {'.'.join(map(str, capability))}"
            )
    return None


def cached_folder(recipe: Recipe) -> Path:
    """The path of a compiled library; RuntimeError if this user has no home folder."""
    return cache_folder() / f"{recipe.kind}-{recipe.key}"


def cuda_fault(device: int) -> str | None:
    """CUDA's error if the library's kernels don't run on a device; None if they do."""
    probe = library("cuda").xalign_cuda_probe
    probe.argtypes, probe.restype = [ctypes.c_int], ctypes.c_char_p
    message = probe(device)
    return None if message is None else message.decode()


def capabilities() -> list[tuple[int, int]]:
    """Compute capabilities of the GPUs that the library can be compiled for."""
    if not torch.cuda.is_available():
        return []
    found = {torch.cuda.get_device_capability(index) for index in range(torch.cuda.device_count())}
    return sorted(capability for capability in found if capability >= OLDEST_CAPABILITY)


def _load_cached(folder: Path) -> Built | None:
    """Load a cached library if its file is complete; a truncated file would kill the process."""
    path = folder / LIBRARY
    for each in (folder, path):
        if each.exists() and (reason := fault(each)):
            logger.warning("a native library is not loaded and is compiled again: %s", reason)
            return None
    if path.is_file() and read_record(folder).get("library") != file_sha256(path):
        logger.warning("the native library in %s is damaged and is compiled again", folder)
        return None
    return load(folder)


def load(folder: Path) -> Built | None:
    """The library in a folder; None if none can be loaded."""
    if not (folder / LIBRARY).is_file():
        return None
    try:
        return Built(ctypes.CDLL(str(folder / LIBRARY)), folder, read_record(folder))
    except OSError as error:
        logger.warning("a native library can't be loaded and is compiled again: %s", error)
        return None


def _compile(recipe: Recipe, folder: Path) -> Built:
    logger.info(
        "compiling native code for %s (%s) with %s into %s", recipe.kind, recipe.target, recipe.compiler, folder
    )
    start = time.monotonic()
    compile_library(recipe, folder)
    logger.info("compiled in %.1f s", time.monotonic() - start)
    for path in (folder, folder / LIBRARY):
        path.chmod(path.stat().st_mode & ~OTHERS_WRITE)  # independent of the umask
    record = read_record(folder)
    if record["no_openmp"]:
        logger.warning("%s has no OpenMP: Sinkhorn runs in one thread", recipe.compiler)
    try:
        return Built(ctypes.CDLL(str(folder / LIBRARY)), folder, record)
    except OSError as error:
        raise XalignError("the library was compiled but can't be loaded", where=folder, found=error) from None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process at a time. The system frees the lock of a dead process; a network file system may not, so waiting has
    a limit."""
    with os.fdopen(os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600), "w") as stream:
        deadline = time.monotonic() + PATIENCE
        while not hold(stream.fileno()):  # without locks two processes may compile, and the last rename wins
            if time.monotonic() > deadline:
                logger.warning("%s has been locked for %d s; compiling without the lock", path, PATIENCE)
                break
            time.sleep(0.05)
        yield
