"""What bounds a call: the verdicts, and a profile on the CPU."""

import gzip
import json
from types import SimpleNamespace

import pytest
import torch


@pytest.mark.parametrize(("busy", "what"), [(47e4, "the kernels"), (30e4, "the host")])
def test_the_bound_of_a_call(script, busy, what):
    kinds = torch.profiler.DeviceType
    parts = [
        SimpleNamespace(key="gemm", count=1000, device_type=kinds.CUDA, self_device_time_total=busy),
        SimpleNamespace(key="aten::mm", count=1000, device_type=kinds.CPU, self_device_time_total=busy),
        SimpleNamespace(key="cudaDeviceSynchronize", count=20, device_type=kinds.CPU, self_device_time_total=0.0),
    ]
    verdict = script("profiling").verdict
    said = verdict(parts, 48e-3, "cuda")
    assert said.startswith("48.000 ms, without") and f"{busy / 1e4:.3f} ms in 100 kernels" in said
    assert f"{busy / 4800:.0f} % of it" in said and "waits 2.0 times" in said and f"bound by {what}" in said
    assert verdict(parts, 48e-3, "cpu") == "48.000 ms, without the profiler"


def test_a_profile_on_the_cpu(script, tmp_path):
    text = script("profiling").profile(lambda: torch.ones(8, 8) @ torch.ones(8, 8), "cpu", tmp_path / "trace.json.gz")
    assert " ms, without the profiler" in text and "aten::mm" in text
    with gzip.open(tmp_path / "trace.json.gz", "rt") as file:
        assert json.load(file)["traceEvents"]
