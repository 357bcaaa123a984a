"""What bounds the labelling: the verdicts, Nsight Compute's pages, and a profile on the CPU."""

import sys

import pytest

PAGE = """==PROF== Connected to process 1
"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name"
"0","1","void fused<64>(Call)","GPU Speed Of Light Throughput","Duration","us","110.5",""
"0","1","void fused<64>(Call)","GPU Speed Of Light Throughput","DRAM Throughput","%","{memory}",""
"0","1","void fused<64>(Call)","GPU Speed Of Light Throughput","Compute (SM) Throughput","%","{compute}",""
"0","1","void fused<64>(Call)","GPU Speed Of Light Throughput","","","","SOLBottleneck"
"1","1","void fused<32>(Call)","GPU Speed Of Light Throughput","Duration","us","1,200.0",""
"""


@pytest.fixture
def profile(script):
    return script("sinkhorn_profile")


@pytest.mark.parametrize(
    ("memory", "compute", "what"), [("88.0", "30", "the memory"), ("20", "91", "the multi"), ("40", "50", "latencies")]
)
def test_what_ncu_says_of_each_kernel(profile, memory, compute, what):
    kernels = profile.kernels_of(PAGE.format(memory=memory, compute=compute))
    assert list(kernels) == ["0: void fused<64>(Call)", "1: void fused<32>(Call)"]
    first, second = (profile.of_kernel(*kernel) for kernel in kernels.items())
    assert first[1:3] == ["    Duration: 110.5 us", f"    DRAM Throughput: {memory} %"] and what in first[-1]
    assert second[1:] == ["    Duration: 1,200.0 us"]


@pytest.mark.parametrize(
    ("whole", "device", "what"),
    [(40.0, 18.0, "bound by the host"), (120.0, 118.0, "by the memory"), (200.0, 195.0, "k")],
)
def test_what_bounds_a_call(profile, whole, device, what):
    parts = [profile.Part("fused<64>", 1, device, 0.0), profile.Part("aten::amax", 1, 0.0, 5.0)]
    said = "\n".join(profile.verdict(parts, whole, 95.0, "cuda"))
    assert f"{whole:.1f} us" in said and f"{device:.1f} us in 1 kernels" in said and what in said
    assert len(profile.verdict(parts, whole, 95.0, "cpu")) == 1


def test_a_profile_of_a_tiny_batch_on_the_cpu(profile, tmp_path):
    text = profile.write("cpu", tmp_path, quick=True)
    assert (tmp_path / "sinkhorn-profile-cpu.txt").read_text() == text
    assert "8 pairs, n = 8, bfloat16:" in text and "xalign::sinkhorn_links" in text and "aten::amax" not in text


def test_ncu_that_lacks_or_fails_is_no_end(profile, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert profile.by_ncu(tmp_path, True) == ["Nsight Compute: there is no ncu on PATH"]
    (tmp_path / "ncu").write_text(f"#!{sys.executable}\nimport sys\nsys.exit('==ERROR== LibraryNotLoaded')\n")
    (tmp_path / "ncu").chmod(0o755)
    assert profile.by_ncu(tmp_path, True) == ["Nsight Compute failed:", "  ==ERROR== LibraryNotLoaded"]


def test_ncu_gets_the_batch_and_its_report_is_kept(profile, tmp_path, monkeypatch):
    (tmp_path / "ncu").write_text(f"""#!{sys.executable}
import pathlib, subprocess, sys
given = sys.argv[1:]
if "--import" in given:
    print({PAGE.format(memory=90, compute=10)!r})
else:
    at = given.index("-o") + 1
    assert given[:2] == ["--profile-from-start", "off"]
    sys.exit(subprocess.run([given[at + 1], given[at + 2], "cpu", *given[at + 4:]]).returncode or
             pathlib.Path(given[at]).write_text("report") and 0)
""")
    (tmp_path / "ncu").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    said = profile.by_ncu(tmp_path, True)
    assert said[0] == "Nsight Compute:" and "bound by the memory" in said[5]
    assert (tmp_path / "sinkhorn.ncu-rep").read_text() == "report"
