"""What bounds an update: the verdicts, and a profile on the CPU."""

import gzip
import json

import pytest


@pytest.fixture
def profile(script):
    return script("training_profile")


@pytest.mark.parametrize(("busy", "what"), [(47e3, "the kernels"), (30e3, "the host")])
def test_what_bounds_an_update(profile, busy, what):
    Part = profile.Part
    parts = [
        Part("gemm", 100, busy, 0.0),
        Part("aten::mm", 100, 0.0, 900.0),
        Part("cudaDeviceSynchronize", 2, 0.0, 9.0),
    ]
    said = "\n".join(profile.verdict(parts, 48e3, "cuda"))
    assert "48.00 ms, without" in said and f"{busy / 1e3:.2f} ms in 100 kernels" in said
    assert f"{busy / 480:.0f} % of it" in said and "waits 2.0 times" in said and f"bound by {what}" in said
    assert len(profile.verdict(parts, 48e3, "cpu")) == 1


def test_a_contestant_that_fails_costs_the_others_nothing(profile, script, tmp_path, monkeypatch):
    def found(setting, name, trace):
        text = tmp_path / "training-profile-cuda.txt"
        assert (name == "first") == (trace == tmp_path / "training-trace-cuda.json.gz")
        assert text.is_file() == (name != "first")
        return [f"  {name} found"] if name != "broken" else 1 / 0

    monkeypatch.setattr(profile, "profile", found)
    setting = script("training_batches").Setting("tiny", "float32", "cuda", 256, "nowhere", 1, 2)
    text = profile.write(setting, ("first", "broken", "last"), tmp_path)
    assert (tmp_path / "training-profile-cuda.txt").read_text() == text
    found = [part.split("\n")[1].strip() for part in text.split("\n\n")]
    assert found == ["first found", "ZeroDivisionError: division by zero", "last found"]


@pytest.mark.slow
def test_a_profile_on_the_cpu(profile, script, databin, tmp_path):
    setting = script("training_batches").Setting("tiny", "float32", "cpu", 256, str(databin), 1, 2)
    text = profile.write(setting, ("xalign, MLM + TLM", "fairseq"), tmp_path)
    profile.profile(setting, "xalign, MLM + TLM", tmp_path / "trace.json.gz")
    with gzip.open(tmp_path / "trace.json.gz", "rt") as file:
        assert json.load(file)["traceEvents"]
    assert (tmp_path / "training-profile-cpu.txt").read_text() == text
    ours, theirs = text.split("\n\n")
    assert ours.startswith(
        "An update of tiny in float32, 256 tokens of pairs and as many of blocks, xalign, MLM + TLM:"
    )
    assert " ms, without the profiler" in ours and "aten::" in ours and "aten::" in theirs and "fairseq:" in theirs
