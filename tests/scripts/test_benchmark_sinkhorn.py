"""The benchmark of self-labelling: its problems, contestants, check of links, clock and table."""

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


def test_rows_of_a_run(script, contestants, monkeypatch):
    measure = script("sinkhorn_measure")
    lacking = replace(contestants.CONTESTANTS["POT"], package=("no_such_package", "NoSuch"))
    monkeypatch.setitem(contestants.CONTESTANTS, "POT", lacking)
    each = list(measure.times("cpu", 1, ["bmm alone", "xalign", "POT"], quick=True))
    assert [len(rows) for rows in each] == [5, 9, 13, 17]  # results after each size, however the run ends
    rows = each[-1]
    assert rows[-1] == {"program": "POT", "dtype": "float32", "missing": "NoSuch"}
    measured = [(row["program"], row["dtype"], row["size"], row["iterations"]) for row in rows[:-1]]
    assert len(set(measured)) == len(measured) == 2 * 2 * 2 * 2
    assert all(row["seconds"] > 0 and row.get("f1", 1.0) > 0.98 for row in rows[:-1])
    assert all(("f1" in row) == (row["program"] == "xalign") for row in rows[:-1])
