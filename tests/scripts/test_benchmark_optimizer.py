"""The benchmark of optimizers: what it compares, and what it writes."""

import json
from dataclasses import replace

import pytest
import torch


@pytest.fixture
def benchmark(script, monkeypatch):
    """With models of a few numbers."""
    found = script("benchmark_optimizer")
    for name in ("E5", "XLMR"):
        small = replace(getattr(found, name), vocab_size=50, encoder_layers=1, encoder_embed_dim=24)
        monkeypatch.setattr(found, name, replace(small, encoder_ffn_embed_dim=8, max_positions=8))
    return found


def test_sizes_are_those_of_the_models(script):
    benchmark = script("benchmark_optimizer")
    millions = {case: sum(shape.numel() for shape in benchmark.shapes(case)) / 1e6 for case in benchmark.CASES}
    assert millions == pytest.approx({"layers": 21.3, "e5-small": 118, "xlm-r": 278, "embeddings": 96}, rel=0.01)


def test_all_contestants_make_the_same_updates(benchmark):
    """Of embeddings in their first update: lazy and dense Adam differ later."""
    benchmark.xalign_fairseq.register()
    updated = []
    for case, name in (
        ("layers", "adam"),
        ("layers", "xalign_adamw"),
        *(("embeddings", n) for n in benchmark.CONTESTANTS),
    ):
        kept = []
        real = benchmark.build
        benchmark.build = lambda *given, kept=kept, real=real: kept.append(given[1]) or real(*given)
        prepare, update = benchmark.contestants(case, tokens=5)[name]
        benchmark.build = real
        prepare()
        update()
        assert all(p.grad is None for p in kept[0])
        updated.append(torch.cat([p.detach().flatten() for p in kept[0]]))
    torch.testing.assert_close(updated[0], updated[1])
    # The same batch each time; weight decay is for rows that were read.
    first, second, lazy = updated[2:]
    torch.testing.assert_close(first, second)
    read = lazy != 0.1
    assert 0 < read.sum() <= 5 * 24
    torch.testing.assert_close(lazy[read], second[read])


def test_what_is_written(benchmark, tmp_path, capsys):
    benchmark.main(["--rounds", "2", "--tokens", "5", "--out", str(tmp_path)])
    results = json.loads((tmp_path / "optimizer.json").read_text())
    assert {case: sorted(each["seconds"]) for case, each in results["cases"].items()} == {
        **{case: ["adam", "xalign_adamw"] for case in ("layers", "e5-small", "xlm-r")},
        "embeddings": ["adam", "lazy", "xalign_adamw"],
    }
    assert all(len(each) == 2 for case in results["cases"].values() for each in case["seconds"].values())
    text = (tmp_path / "optimizer.md").read_text()
    assert text in capsys.readouterr().out and "| e5-small, whole |" in text


def test_the_table_has_the_least_of_each_and_how_many_times_faster(benchmark):
    seconds = {"adam": [0.5, 0.4], "xalign_adamw": [0.1, 0.2], "lazy": [0.002, 0.001]}
    results = {"tokens": 5, "rounds": 2, "threads": 1, "machine": "m", "torch": "t", "commit": "c", "command": "x"}
    table = benchmark.report({**results, "cases": {"embeddings": {"parameters": 96_000_000, "seconds": seconds}}})
    assert "| 96 million | 400.0 | 100.0 (4.0) | 1.0 (400.0) |" in table
