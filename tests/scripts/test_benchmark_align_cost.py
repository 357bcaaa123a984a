"""The benchmark of align's costs: complete commands on the first pairs, and earlier results."""

import stat

import pytest

from xalign_fairseq.core.json_files import read_json


@pytest.fixture
def benchmark(script, monkeypatch, tmp_path):
    """The script, with a program that records its options and number of pairs."""
    module = script("benchmark_align_cost")
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$(wc -l < "$2") $(wc -l < "$3") ${{*}}" >> {tmp_path}/calls\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(module, "PROGRAM", program)
    return module


def test_commands_take_the_first_pairs_in_turn(benchmark, tmp_path):
    for name in ("src", "tgt"):
        (tmp_path / name).write_text("a b\n" * 9)
    text = ["--src", str(tmp_path / "src"), "--tgt", str(tmp_path / "tgt"), "--rounds", "2", "--methods", "grow"]
    benchmark.main([*text, "--pairs", "3", "--sizes", "2", "5", "--out", str(tmp_path / "out")])
    calls = [line.split() for line in (tmp_path / "calls").read_text().splitlines()]
    assert [(int(src), int(tgt)) for src, tgt, *_ in calls] == [(3, 3)] * 4 + [(2, 2), (5, 5)] * 2
    assert ["--statistics" in call for call in calls] == [False, True] * 2 + [False] * 4
    memory = read_json(tmp_path / "out/align_memory.json")
    assert {size: len(each) for size, each in memory["peak_mb"].items()} == {"2": 2, "5": 2}
    assert all(mb > 0 for each in memory["peak_mb"].values() for mb in each)
    assert "| 5 | " in (tmp_path / "out/align_memory.md").read_text()
