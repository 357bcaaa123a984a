"""Differences seed by seed: Student's t by hand, and what stands in the table."""

import json
import math

import pytest

from tests.examples.recipes import load
from xalign_fairseq.evaluation.statistics import holm
from xalign_fairseq.files import read_json

[paired] = load("transfer", "paired")
TASK = {"task": "pos", "scored_by": ["accuracy"], "train_languages": ["en"], "languages": ["en", "de", "fr"]}
SEEDS = (1, 2, 3, 4, 5)


@pytest.fixture
def runs(tmp_path):
    """The function that writes runs of a checkpoint: its scores of German by seed; French has 0.1 more."""

    def write(checkpoint, scores, task="pos"):
        for seed, score in zip(SEEDS, scores, strict=False):
            folder = tmp_path / checkpoint / task / "en" / str(seed)
            folder.mkdir(parents=True)
            values = {"en": 0.9, "de": score, "fr": score + 0.1}
            run = {"checkpoint": checkpoint, "seed": seed, "scores": {k: {"accuracy": v} for k, v in values.items()}}
            (folder / "result.json").write_text(json.dumps(run))

    write.folder = tmp_path
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


def test_scores_are_means_over_the_languages_that_were_not_trained_on(runs):
    runs("none", (0.5, 0.6))
    runs("none", (0.2,), task="xnli")
    assert paired.zero_shot(runs.folder, TASK) == {"none": {1: pytest.approx(0.55), 2: pytest.approx(0.65)}}


def test_what_all_seeds_of_a_pair_share_does_not_count(runs):
    spread = (0.1, 0.5, 0.3, 0.2, 0.4)
    runs("none", spread)
    runs("mlm-tlm", [each + 0.01 + 0.002 * (-1) ** k for k, each in enumerate(spread)])
    runs("dwa", [each + 0.02 + 0.001 * (-1) ** k for k, each in enumerate(spread)])
    runs("weak", spread[:4])
    head, _, *rows = paired.table(runs.folder, [TASK, {**TASK, "train_languages": []}]).splitlines()
    assert head == "| checkpoint | pos, from none | pos, from mlm-tlm |"
    dwa, tlm = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    assert dwa[0] == "dwa" and dwa[1].startswith("+2.0 (+1.9 to +2.2), p 0.00")
    assert dwa[2].startswith("+1.0 (+") and tlm[0] == "mlm-tlm" and tlm[1].startswith("+1.0 (+") and tlm[2] == ""
    scores = paired.zero_shot(runs.folder, TASK)
    both = [paired.Paired.of(scores["none"], scores[name]).p for name in ("dwa", "mlm-tlm")]
    assert [row[1].split("p ")[1] for row in (dwa, tlm)] == [f"{p:.3f}" for p in holm(both)]


def test_a_task_without_five_seeds_of_both_baselines_is_left_out(runs):
    runs("none", (0.1, 0.5, 0.3, 0.2, 0.4))
    runs("dwa", (0.1, 0.6, 0.3, 0.2, 0.4))
    runs("mlm-tlm", (0.1, 0.6, 0.3, 0.2))
    assert paired.table(runs.folder, [TASK]).splitlines()[0] == "| checkpoint |"


def test_the_page_has_the_table_of_its_runs():
    tasks = read_json(paired.HERE / "results/report/report.json")["tasks"]
    assert paired.table(paired.HERE / "results/runs", tasks) in (paired.HERE / "details.md").read_text()
