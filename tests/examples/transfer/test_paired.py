"""Differences seed by seed: Student's t by hand, and what stands in the table."""

import math

import pytest

from tests.examples.recipes import load
from xalign_fairseq.evaluation.statistics import holm
from xalign_fairseq.transfer.task_results import read_results

[paired] = load("transfer", "paired")
SEEDS = (1, 2, 3, 4, 5)
SPREAD = (100, 500, 300, 200, 400)  # of 1,000 German items that a seed gets right


@pytest.fixture
def runs(right, write_run):
    """The function that writes runs of a checkpoint: German items that a seed gets right; of French 100 more."""

    def write(checkpoint, hits, **options):
        for seed, each in zip(SEEDS, hits, strict=False):
            counts = {language: right(n, 1000) for language, n in (("en", 900), ("de", each), ("fr", each + 100))}
            write_run(checkpoint, counts, seed=seed, **options)

    return write


def test_students_t_of_the_differences_of_the_same_seeds():
    # Differences .1, .2, .3: mean .2, deviation .1, so t = .2 / (.1 / sqrt 3) with 2 degrees of freedom, of which p is
    # 1 - t / sqrt(2 + t^2), and the 97.5 % quantile 4.302653.
    found = paired.Paired.of({1: 0.5, 2: 0.1, 3: 0.3, 9: 0.0}, {3: 0.6, 2: 0.3, 1: 0.6, 8: 1.0})
    t = 0.2 / (0.1 / math.sqrt(3))
    assert found.difference == pytest.approx(0.2)
    assert found.p == pytest.approx(1 - t / math.sqrt(2 + t * t))
    assert (found.low, found.high) == pytest.approx(
        (0.2 - 4.302653 * 0.1 / math.sqrt(3), 0.2 + 4.302653 * 0.1 / 3**0.5)
    )


def test_what_all_seeds_of_a_pair_share_does_not_count(runs, tmp_path):
    hits = {
        "none": SPREAD,
        "mlm-tlm": [each + 10 + 2 * (-1) ** k for k, each in enumerate(SPREAD)],
        "dwa": [each + 20 + (-1) ** k for k, each in enumerate(SPREAD)],
        "weak": SPREAD[:4],
    }
    for name, own in hits.items():
        runs(name, own)
        runs(name, own, task="pawsx", train=())
    head, _, *rows = paired.table(read_results(tmp_path)).splitlines()
    assert head == "| checkpoint | xnli, from none | xnli, from mlm-tlm |"
    dwa, tlm = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    assert dwa[0] == "dwa" and dwa[1].startswith("+2.0 (+1.9 to +2.2), p 0.00")
    assert dwa[2].startswith("+1.0 (+") and tlm[0] == "mlm-tlm" and tlm[1].startswith("+1.0 (+") and tlm[2] == ""
    scores = {name: {seed: each / 1000 for seed, each in zip(SEEDS, own, strict=False)} for name, own in hits.items()}
    both = [paired.Paired.of(scores["none"], scores[name]).p for name in ("dwa", "mlm-tlm")]
    assert [row[1].split("p ")[1] for row in (dwa, tlm)] == [f"{p:.3f}" for p in holm(both)]


def test_a_task_without_five_seeds_of_both_baselines_is_left_out(runs, tmp_path):
    runs("none", SPREAD)
    runs("dwa", SPREAD)
    runs("mlm-tlm", SPREAD[:4])
    assert paired.table(read_results(tmp_path)).splitlines()[0] == "| checkpoint |"


def test_each_seed_is_compared_with_the_same_seed(runs, tmp_path):
    runs("none", (500, 300))
    runs("dwa", (510, 280))
    runs("weak", (500,))
    runs("dwa", (900, 900), task="tatoeba", train=())
    # German and French have 50 and 60, 30 and 40 of 100 right
    assert paired.by_seed(read_results(tmp_path), "xnli").splitlines() == [
        "| checkpoint | seed 1 | seed 2 |",
        "| --- | ---: | ---: |",
        "| none | 55.0 | 35.0 |",
        "| dwa | +1.0 | −2.0 |",
        "| weak | 0.0 |  |",
    ]


def test_the_page_has_the_tables_of_its_runs():
    results, page = read_results(paired.HERE / "results"), (paired.HERE / "details.md").read_text()
    assert paired.table(results) in page and paired.by_seed(results, "qa") in page
