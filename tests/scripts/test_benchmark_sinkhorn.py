"""The benchmark of self-labelling: its problems, what it compares, its guard, its clock, its table."""

import re
from dataclasses import replace

import pytest
import torch
from support.links import pair_matrices

from xalign_fairseq.transport.methods import Transport

OPTIONS = Transport()


@pytest.fixture
def contestants(script):
    return script("sinkhorn_contestants")


@pytest.fixture
def ragged(script):
    problems = script("sinkhorn_problems")
    return problems.make(problems.Size(12, 20, ragged=True), torch.float32, "cpu", width=24)


def test_all_exact_programs_find_the_definitions_links_in_ragged_pairs(contestants, ragged):
    truth = contestants.eager(replace(ragged, hidden=ragged.hidden.double()), OPTIONS)()
    links, _ = pair_matrices(ragged.hidden.double(), ragged.spans)
    assert (truth >= 0).any(1).all() and (truth >= 0).sum() <= 2 * links.sum()
    seen = set()
    for name, contestant in contestants.CONTESTANTS.items():
        if (
            contestant.least_f1 is None
            or contestant.missing
            or "cpu" not in contestant.devices
            or name == "torch.compile"
        ):
            continue
        output = contestant.prepare(ragged, OPTIONS)()
        assert torch.equal(contestants.labels_of(contestant.gives, output, ragged, OPTIONS).long(), truth.long()), name
        seen.add(name)
    assert seen >= {"xalign", "torch, eager", "released loop"}


def test_a_program_with_other_links_is_refused_before_its_time_is_taken(script, contestants, monkeypatch):
    measure = script("sinkhorn_measure")

    def nothing(problem, options):
        return lambda: torch.zeros_like(problem.hidden[..., 0], dtype=torch.int16)

    wrong = replace(contestants.CONTESTANTS["torch, eager"], prepare=nothing)
    monkeypatch.setitem(contestants.CONTESTANTS, "torch, eager", wrong)
    *_, rows = measure.times("cpu", 1, ["torch, eager", "xalign"], quick=True)
    assert all(("failed" in row) == (row["program"] == "torch, eager") != ("seconds" in row) for row in rows)
    said = next(row["failed"] for row in rows if "failed" in row)
    assert re.search(r"^XalignError.*links are not[\s\S]*torch, eager, float32, n = 8, 2 iterations", said)


def test_rows_of_a_run(script, contestants, monkeypatch):
    measure = script("sinkhorn_measure")
    lacking = replace(contestants.CONTESTANTS["POT"], package=("no_such_package", "NoSuch"))
    monkeypatch.setitem(contestants.CONTESTANTS, "POT", lacking)
    each = list(measure.times("cpu", 1, ["bmm alone", "xalign", "POT"], quick=True))
    assert [len(rows) for rows in each] == [5, 9, 13, 17]  # what is there after each size, however the run ends
    rows = each[-1]
    assert rows[-1] == {"program": "POT", "dtype": "float32", "missing": "NoSuch"}
    measured = [(row["program"], row["dtype"], row["size"], row["iterations"]) for row in rows[:-1]]
    assert len(set(measured)) == len(measured) == 2 * 2 * 2 * 2
    assert all(row["seconds"] > 0 and row.get("f1", 1.0) > 0.98 for row in rows[:-1])
    assert all(("f1" in row) == (row["program"] == "xalign") for row in rows[:-1])


def row(program, seconds, size="n = 32", iterations=2, dtype="float32", gives="labels", pairs=64, threads=1, **more):
    return {
        "program": program,
        "gives": gives,
        "dtype": dtype,
        "size": size,
        "pairs": pairs,
        "iterations": iterations,
        "seconds": seconds,
        "threads": threads,
        **more,
    }


@pytest.fixture
def result(script):
    rows = []
    for size, scale in (("n = 32", 1.0), ("4 to 128", 3.0)):
        rows.append(row("bmm alone", 0.001 * scale, size, gives="products"))
        rows.append(row("bmm alone", 0.001 * scale, size, 50, gives="products"))
        rows.append(row("bmm alone", 0.002 * scale, size, 50, "bfloat16", gives="products"))
        rows.append(row("bmm alone", 0.0015 * scale, size, dtype="bfloat16", gives="products"))
        rows.append(row("xalign", 0.0012 * scale, size, f1=1.0))
        rows.append(row("xalign", 0.0017 * scale, size, 50, f1=0.9995))
        rows.append(row("xalign", 0.0018 * scale, size, dtype="bfloat16", f1=0.996))
        rows.append(row("xalign", 0.0030 * scale, size, 50, "bfloat16", f1=0.996))
    rows.append({"program": "geomloss", "dtype": "float32", "missing": "geomloss", "threads": 1})
    compare = script("benchmark_sinkhorn").compare
    return {
        "command": "benchmark_sinkhorn.py --device cpu",
        "commit": "abc1234",
        "machine": "a CPU",
        "cores": 2,
        "versions": {"torch": "2.13.0", "POT": "0.9.7"},
        "rows": compare(rows),
        "instructions": {"float32": "AVX2", "bfloat16": "AMX"},
    }


def test_the_table_has_ratios_to_the_products_of_the_same_batch(script, result):
    text = script("sinkhorn_report").render({"cpu": result})
    assert "| program | gives | dtype | n = 32 | 4 to 128 | F1 |" in text
    assert "| bmm alone | products | float32 | 1.00 ms | 3.00 ms | - |" in text
    assert "| bmm alone | products | bfloat16 | 1.50 ms | 4.50 ms | - |" in text
    assert "| xalign | labels | bfloat16 | 1.20 / 1.50 | 1.20 / 1.50 | 0.9960 |" in text
    assert "| xalign | labels | float32 | 1.20 / 1.70 | 1.20 / 1.70 | 0.9995 |" in text
    assert "| geomloss |  | float32 | not installed | not installed |  |" in text
    assert "CPU, 1 thread:" in text and "GPU: not measured." in text
    assert "- cpu: a CPU (2 cores); our own products of float32 by AVX2 and bfloat16 by AMX; torch 2.13.0, POT" in text
    assert "POT 0.9.7; commit abc1234; `benchmark_sinkhorn.py --device cpu`" in text


def test_a_large_batch_is_compared_with_half_a_copy_of_its_states(script, result):
    report, compare = script("sinkhorn_report"), script("benchmark_sinkhorn").compare
    given = {"size": "n = 64", "dtype": "bfloat16", "pairs": 2048, "group": "large"}
    large = [
        row("xalign", 0.00012, **given),
        row("torch, eager", 0.00054, **given),
        {**row("torch.compile", 0.0, **given), "failed": "no compiler"},
        row("copy", 0.0002, **given, gives="copy"),
    ]
    del large[2]["seconds"]
    result["rows"] += compare(large)
    text = report.render({"cuda": {**result, "machine": "a GPU"}})
    assert "2048 pairs, n = 64, bfloat16, 2 iterations; reading the hidden states once takes 100 us:" in text
    assert "| xalign | 120 | 1.20 | 4.5 | 1.3 | 3.5 |" in text and "| copy" not in text
    assert "| torch, eager | 540 | 5.40 | 1.0 |  |  |" in text and "| torch.compile | failed | failed | - |" in text
    assert "| xalign | labels | float32 | 1.20 / 1.70 | 1.20 / 1.70 | 0.9995 |" in text
    assert "CPU: not measured." in text
