import shutil

import pytest
from support.processes import program

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.sinkhorn import toolchain
from xalign_fairseq.transport.sinkhorn.toolchain import (
    LIBRARY,
    architecture_runs,
    compile_library,
    cpu_instructions,
    cuda_architectures,
    find_compiler,
    find_nvcc,
    make_recipe,
    nvcc_release,
    read_record,
    source_digest,
)


def test_the_instructions_of_a_cpu(monkeypatch, tmp_path):
    monkeypatch.setattr(toolchain, "CPU_INFO", tmp_path / "cpuinfo")
    assert cpu_instructions() == ()
    (tmp_path / "cpuinfo").write_text("processor : 0\nflags\t\t: fpu sse4_2 fma avx512_bf16 avx2 ht\nbugs : spectre\n")
    assert cpu_instructions() == ("avx2", "avx512_bf16", "fma", "sse4_2")


@pytest.mark.parametrize(
    ("machine", "portable", "target", "flags", "needs"),
    [
        ("x86_64", False, "native", ["-march=native"], ("avx2", "fma")),
        ("x86_64", True, "x86-64-v3", ["-march=x86-64-v3", "-Wl,-rpath,$ORIGIN"], toolchain.PORTABLE_NEEDS),
        ("aarch64", False, "aarch64", [], ()),
        ("aarch64", True, "aarch64", ["-Wl,-rpath,$ORIGIN"], ()),
    ],
)
def test_the_target_of_the_cpu_library(native, monkeypatch, machine, portable, target, flags, needs):
    monkeypatch.setattr(toolchain.platform, "machine", lambda: machine)
    monkeypatch.setattr(toolchain, "cpu_instructions", lambda: ("avx2", "fma"))
    recipe = make_recipe("cpu", native, portable=portable)
    assert (recipe.target, recipe.needs) == (target, needs)
    assert list(recipe.command)[len(find_compiler()) + len(toolchain.CPU_FLAGS) :] == flags


@pytest.mark.parametrize(
    ("architecture", "runs", "not_on"),
    [
        ("80", [(8, 0), (8, 6), (8, 9)], [(7, 5), (9, 0)]),
        ("86", [(8, 6), (8, 9)], [(8, 0), (9, 0)]),
        ("80+PTX", [(8, 0), (8, 9), (9, 0), (12, 0)], [(7, 5)]),
        ("90a", [(9, 0)], [(8, 0), (10, 0)]),
        ("100", [(10, 0), (10, 3)], [(9, 0), (12, 0)]),
        ("100f+PTX", [(10, 0), (10, 3)], [(12, 0)]),
        ("90a+PTX", [(9, 0)], [(10, 0)]),
    ],
)
def test_architectures_match_compute_capabilities(architecture, runs, not_on):
    assert all(architecture_runs(architecture, capability) for capability in runs)
    assert not any(architecture_runs(architecture, capability) for capability in not_on)


def test_cxx_sets_the_compiler_and_its_arguments(monkeypatch, tmp_path):
    wrapper = program(tmp_path / "wrapper", 'exec "$@"')
    monkeypatch.setenv("CXX", f"{wrapper} g++ -w")
    assert find_compiler() == [wrapper, "g++", "-w"]


def test_no_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(XalignError, match=r"no C\+\+ compiler\n  where: \$CXX\n  found: no-such-compiler"):
        find_compiler()
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(XalignError, match=r"no C\+\+ compiler\n  where: \$PATH"):
        find_compiler()


def test_the_search_path_of_nvcc(monkeypatch, tmp_path):
    monkeypatch.delenv("CUDA_HOME", raising=False)
    on_path = program(tmp_path / "path/nvcc", "echo 'Cuda compilation tools, release 12.9, V12.9.41'")
    monkeypatch.setenv("PATH", f"{tmp_path}/path:/usr/bin:/bin")
    assert find_nvcc() == on_path and nvcc_release(on_path) == "12.9"
    at_home = program(tmp_path / "home/bin/nvcc", "exit 1")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    assert find_nvcc() == at_home
    with pytest.raises(XalignError, match="does not report"):
        nvcc_release(at_home)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "elsewhere"))
    assert find_nvcc() == on_path


def test_architectures(monkeypatch, tmp_path):
    old = program(tmp_path / "old", "echo sm_75; echo sm_80; echo sm_90")
    new = program(tmp_path / "new", "echo sm_80; echo sm_90; echo sm_100")
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    assert cuda_architectures(new, []) == ["80+PTX", "90a", "100"]
    assert cuda_architectures(old, []) == ["80+PTX", "90a"]
    assert cuda_architectures(new, [(9, 0), (8, 6), (9, 0), (12, 0)]) == ["86", "90a", "120"]
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0; 9.0a 10.0+PTX")
    assert cuda_architectures(new, [(8, 6)]) == ["80", "90a", "100+PTX"]
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "Hopper")
    with pytest.raises(XalignError, match="Hopper"):
        cuda_architectures(new, [])


def test_a_recipe_for_cuda(native, monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    program(tmp_path / "home/bin/nvcc", "echo 'release 13.0,'; echo sm_90; echo sm_100")
    recipe = make_recipe("cuda", native)
    assert (recipe.target, recipe.compiler) == ("80+PTX 90a 100", "nvcc 13.0")
    assert "-gencode=arch=compute_80,code=[sm_80,compute_80]" in recipe.command
    assert "-gencode=arch=compute_90a,code=[sm_90a]" in recipe.command
    assert recipe.key != make_recipe("cuda", native, [(9, 0)]).key


def test_the_digest_covers_all_sources(native):
    before = {kind: source_digest(kind, native) for kind in toolchain.SOURCES}
    (native / "cuda.cu").write_text("other")
    assert source_digest("cpu", native) == before["cpu"] and source_digest("cuda", native) != before["cuda"]
    (native / "value.h").write_text("#define VALUE 43\n")
    assert source_digest("cpu", native) != before["cpu"]


def test_the_key_contains_compiler_flags_and_instructions(native, monkeypatch):
    recipe = make_recipe("cpu", native)
    others = [
        recipe._replace(compiler="g++ 99"),
        recipe._replace(command=(*recipe.command, "-mavx512f")),
        recipe._replace(digest="0" * 64),
        recipe._replace(needs=("avx512f",)),
    ]
    keys = {recipe.key, *(other.key for other in others)}
    monkeypatch.setattr(toolchain.platform, "libc_ver", lambda: ("glibc", "1.0"))
    keys.add(recipe.key)
    monkeypatch.setattr(toolchain.platform, "machine", lambda: "another")
    assert len(keys | {recipe.key}) == 7


def test_a_compile_error_shows_its_message_and_leaves_no_files(native, tmp_path):
    (native / "cpu.cpp").write_text("int broken( {\n")
    with pytest.raises(XalignError, match=r"(?s)does not accept.*cpu\.cpp:1:.*error.*-O3"):
        compile_library(make_recipe("cpu", native), tmp_path / "out")
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


def test_a_compiler_without_openmp(native, tmp_path, monkeypatch):
    refuse = 'for flag; do [ "$flag" = -fopenmp ] && { echo "unsupported option -fopenmp" >&2; exit 1; }; done'
    monkeypatch.setenv("CXX", program(tmp_path / "plain", f'{refuse}\nexec {shutil.which("c++")} "$@"'))
    compile_library(make_recipe("cpu", native), tmp_path / "out")
    record = read_record(tmp_path / "out")
    assert (tmp_path / "out" / LIBRARY).is_file()
    assert record["no_openmp"] == "unsupported option -fopenmp" and "-fopenmp" not in record["command"]


def test_missing_sources(native):
    with pytest.raises(XalignError, match="unknown native library"):
        source_digest("tpu", native)
    (native / "cpu.cpp").unlink()
    with pytest.raises(XalignError, match=r"missing\n  where: .*cpu\.cpp"):
        source_digest("cpu", native)
