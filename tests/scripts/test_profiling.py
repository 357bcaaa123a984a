"""A profile on the CPU."""

import gzip
import json

import torch


def test_a_profile_on_the_cpu(script, tmp_path):
    text = script("profiling").profile(lambda: torch.ones(8, 8) @ torch.ones(8, 8), "cpu", tmp_path / "trace.json.gz")
    assert " ms, without the profiler" in text and "aten::mm" in text
    with gzip.open(tmp_path / "trace.json.gz", "rt") as file:
        assert json.load(file)["traceEvents"]
