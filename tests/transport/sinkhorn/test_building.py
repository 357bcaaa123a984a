import ctypes
import fcntl
import json
import logging
import multiprocessing
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from support.processes import program

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.sinkhorn import building, toolchain
from xalign_fairseq.transport.sinkhorn.building import cache_folder, fault, library, make_private
from xalign_fairseq.transport.sinkhorn.toolchain import LIBRARY, RECORD, compile_library, make_recipe

WORKERS = 4
PARALLEL = """
extern "C" int value() {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 42; ++i) sum += 1;
  return sum;
}
"""


@pytest.fixture
def again(caplog):
    """Loads the CPU's library as a new process would; returns its number and what was logged."""
    caplog.set_level(logging.INFO, building.__name__)

    def ask():
        building.built.cache_clear()
        caplog.clear()
        return library("cpu").value(), [record.getMessage() for record in caplog.records]

    return ask


def ask(queue):
    queue.put(library("cpu").value())


def prebuild(native):
    folder = building.PREBUILT_FOLDER / "cpu"
    compile_library(make_recipe("cpu", native), folder)
    return folder


def test_it_is_compiled_once_and_then_cached(native, again, tmp_path):
    value, said = again()
    assert value == 42 and len(said) == 2
    assert said[0].startswith("compiling native code for cpu (") and str(tmp_path / "cache/cpu-") in said[0]
    assert said[1].startswith("compiled in ")
    assert again() == (42, [])
    assert library("cpu") is library("cpu")


@pytest.mark.parametrize("name", ["cpu.cpp", "value.h"])
def test_changed_sources_are_compiled_next_to_the_old_library(native, again, tmp_path, name):
    again()
    (native / name).write_text((native / name).read_text().replace("VALUE 42", "VALUE 43") + "// later\n")
    value, said = again()
    assert value == (43 if name == "value.h" else 42) and len(said) == 2
    assert len(list((tmp_path / "cache").glob("cpu-*"))) == 2


def test_several_processes_compile_once(native, tmp_path, monkeypatch):
    notes = tmp_path / "notes"
    counting = f'[ "$1" = --version ] || {{ echo . >> {notes}; sleep 0.5; }}\nexec {shutil.which("c++")} "$@"'
    monkeypatch.setenv("CXX", program(tmp_path / "counting", counting))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    processes = [context.Process(target=ask, args=(queue,)) for _ in range(WORKERS)]
    for process in processes:
        process.start()
    assert [queue.get(timeout=60) for _ in processes] == [42] * WORKERS
    for process in processes:
        process.join()
    assert notes.read_text() == ".\n"


def test_waiting_for_a_lock_that_is_never_released_ends(native, again, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "PATIENCE", 0.2)
    (tmp_path / "cache").mkdir()
    with open(tmp_path / "cache/.lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        value, said = again()
    assert value == 42 and "has been locked for" in said[0] and len(said) == 3


def test_a_cache_that_cannot_be_written(native, again, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("XALIGN_CACHE", str(tmp_path / "file/cache"))
    monkeypatch.setattr(building.tempfile, "tempdir", str(tmp_path / "temporary"))
    value, said = again()
    assert value == 42 and "the cache can't be used" in said[0]
    assert not list((tmp_path / "temporary").iterdir())


def test_a_library_writable_by_others_is_replaced(native, again, tmp_path):
    before = os.umask(0)
    try:
        assert again()[0] == 42
        [library] = (tmp_path / "cache").glob(f"cpu-*/{LIBRARY}")
        assert not library.stat().st_mode & 0o022
        assert again() == (42, [])
        library.chmod(0o666)
        value, said = again()
    finally:
        os.umask(before)
    assert value == 42 and "other users can write" in said[0] and not library.stat().st_mode & 0o022


@pytest.mark.parametrize("rest", [0.0, 0.3, 0.99])
def test_a_damaged_library_in_the_cache_is_not_loaded(native, again, monkeypatch, rest):
    recipe = make_recipe("cpu", native)
    folder = building.cached_folder(recipe)
    compile_library(recipe, folder)
    whole = (folder / LIBRARY).read_bytes()
    (folder / LIBRARY).write_bytes(whole[: int(rest * len(whole))])
    load = building.load

    def load_whole(at):
        assert (at / LIBRARY).read_bytes() == whole  # the loader crashes on a truncated file
        return load(at)

    monkeypatch.setattr(building, "load", load_whole)
    value, said = again()
    assert value == 42 and "is damaged" in said[0] and said[-1].startswith("compiled in")
    assert again() == (42, [])


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (lambda folder, native, patch: (folder / LIBRARY).write_bytes(b"no library"), "can't be loaded"),
        (lambda folder, native, patch: (native / "value.h").write_text("#define VALUE 42\n\n"),
         "other sources.*install the package again"),
        (lambda folder, native, patch: patch.setattr(building, "cpu_instructions", lambda: ("sse4_2",)),
         "it needs .*avx.*, which this CPU lacks"),
    ],
)  # fmt: skip
def test_a_prebuilt_library_that_does_not_match_is_recompiled(native, again, monkeypatch, fault, told):
    fault(prebuild(native), native, monkeypatch)
    value, said = again()
    assert value == 42 and re.search(told, said[0], re.S) and said[-1].startswith("compiled in")


def test_a_portable_library_needs_no_compiler_and_finds_its_openmp(native, again, tmp_path, monkeypatch):
    (native / "cpu.cpp").write_text(PARALLEL)
    folder = building.PREBUILT_FOLDER / "cpu"
    toolchain.compile_portable(native, folder)
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert again() == (42, []) and building.built("cpu").folder == folder and not (tmp_path / "cache").exists()
    (openmp,) = folder.glob("lib*omp*")
    found = subprocess.run(["ldd", folder / LIBRARY], capture_output=True, text=True, check=True).stdout
    (path,) = re.findall(rf"{re.escape(openmp.name)} => (\S+)", found)
    assert os.path.samefile(path, openmp)


def test_a_portable_library_without_openmp_is_refused(native, tmp_path, monkeypatch):
    plain = f'for a; do [ "$a" = -fopenmp ] && exit 1; done\nexec {shutil.which("c++")} "$@"'
    monkeypatch.setenv("CXX", program(tmp_path / "plain", plain))
    with pytest.raises(XalignError, match="needs OpenMP"):
        toolchain.compile_portable(native, building.PREBUILT_FOLDER / "cpu")


@pytest.mark.parametrize(("capability", "used"), [((8, 0), True), ((9, 0), True), ((10, 0), False)])
def test_a_prebuilt_library_for_another_gpu_is_not_used(native, monkeypatch, capability, used):
    folder = building.PREBUILT_FOLDER / "cuda"
    shutil.copytree(prebuild(native), folder)
    record = {"digest": toolchain.source_digest("cuda", native), "target": "80 90a", "needs": []}
    (folder / RECORD).write_text(json.dumps(record))
    assert building.prebuilt_fault("cuda") is None  # there may be no GPU
    monkeypatch.setattr(building, "capabilities", lambda: [(8, 6), capability])
    monkeypatch.setenv("CUDA_HOME", str(native))
    monkeypatch.setenv("PATH", "")
    fault = building.prebuilt_fault("cuda")
    if used:
        assert fault is None and building.built("cuda").folder == folder  # without nvcc
    else:
        assert fault == "it is for 80 90a and a GPU here has compute capability 10.0"


def test_the_cuda_library_targets_the_supported_devices(monkeypatch):
    assert torch.cuda.is_available() or building.capabilities() == []
    capabilities = [(7, 5), (9, 0), (8, 0), (9, 0)]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(capabilities))
    monkeypatch.setattr(torch.cuda, "get_device_capability", capabilities.__getitem__)
    assert building.capabilities() == [(8, 0), (9, 0)]


def test_the_probe_of_the_cuda_library(native, monkeypatch):
    monkeypatch.setattr(building, "library", lambda kind: library("cpu"))  # which also has a probe
    assert building.cuda_fault(0) is None and building.cuda_fault(1) == "no such device"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_nvcc_compiles_a_library_that_loads(native, monkeypatch):
    (native / "cuda.cu").write_text("""
        __global__ void kernel() {}
        extern "C" const char* xalign_cuda_probe(int) {
          cudaFuncAttributes attributes;
          const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
          return error ? cudaGetErrorString(error) : nullptr;
        }
    """)
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0+PTX")
    assert isinstance(library("cuda"), ctypes.CDLL)
    assert building.built("cuda").record["target"] == "80+PTX"
    assert (building.cuda_fault(0) is None) == torch.cuda.is_available()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("XALIGN_CACHE", str(folder))
    return folder


def test_the_location_of_the_cache(monkeypatch):
    monkeypatch.delenv("XALIGN_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_folder() == Path("/caches/xalign_fairseq")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_folder() == Path("/home/someone/.cache/xalign_fairseq")


def test_the_cache_is_private_whatever_the_umask(cache):
    before = os.umask(0)
    try:
        make_private(cache / "cpu-1")
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (cache, cache / "cpu-1")} == {0o700}
    make_private(cache / "cpu-1")  # it may exist


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_cache_writable_by_others_is_refused(cache, mode):
    cache.mkdir()
    cache.chmod(mode)
    with pytest.raises(PermissionError, match="other users can write"):
        make_private(cache / "cpu-1")


def test_only_files_of_the_user_and_root_are_trusted(tmp_path, monkeypatch):
    def owned(user):
        mode = tmp_path.lstat().st_mode & ~0o022
        monkeypatch.setattr(Path, "lstat", lambda self: SimpleNamespace(st_mode=mode, st_uid=user))
        return fault(tmp_path)

    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert owned(1000) is None and owned(0) is None
    assert "another user" in owned(1001)


def test_symlinks_are_followed_only_on_the_users_path_to_the_cache(cache, tmp_path):
    (tmp_path / "disk").mkdir(mode=0o700)
    cache.symlink_to(tmp_path / "disk")
    make_private(cache / "cpu-1")  # a cache on another disk
    (cache / "library.so").symlink_to("/etc/hostname")
    assert "symbolic link" in fault(cache / "library.so")
