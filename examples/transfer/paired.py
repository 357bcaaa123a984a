"""Differences between checkpoints seed by seed: tables of details.md.

usage: python paired.py

The fine-tunings of two checkpoints with one seed share their head at first and their order of examples, and most of
what a seed does is done to both. So the differences of the same seeds spread less than those of any two, of which
xalign transfer-report makes its intervals. Reads results/runs.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))

import markers
from correlate import HERE, NONE, Change, interval

from xalign_fairseq.evaluation.statistics import holm
from xalign_fairseq.evaluation.tables import markdown, signed
from xalign_fairseq.transfer.task_results import StudyResults, TaskResults, read_results

BASELINES = (NONE, "mlm-tlm")  # the latter trained on the same text without any alignment
LEAST = 5  # seeds that a checkpoint needs to stand in the table
Scores = Mapping[int, float]  # seed -> zero-shot score


class Paired(NamedTuple):
    r"""The mean of differences of the same seeds, with the 95 % interval and two-tailed p of Student's t.

    .. math:: t = \bar d / (s_d / \sqrt n), \quad d_s = v^{(2)}_s - v^{(1)}_s, \quad n - 1 \text{ degrees of freedom}
    """

    difference: float
    low: float
    high: float
    p: float

    @classmethod
    def of(cls, first: Scores, second: Scores) -> "Paired":
        """The second's scores less the first's, of the seeds that both have."""
        differences = [second[seed] - first[seed] for seed in sorted(first.keys() & second.keys())]
        tested = stats.ttest_1samp(differences, 0)
        low, high = tested.confidence_interval(0.95)
        return cls(float(np.mean(differences)), float(low), float(high), float(tested.pvalue))


def column(scores: Mapping[str, Scores], baseline: str) -> dict[str, str]:
    """Checkpoint -> how it differs from a baseline; p after Holm's correction over the checkpoints."""
    others = {name: Paired.of(scores[baseline], own) for name, own in scores.items() if name not in (NONE, baseline)}
    corrected = holm([each.p for each in others.values()])
    return {name: shown(each, p) for (name, each), p in zip(others.items(), corrected, strict=True)}


def shown(found: Paired, p: float) -> str:
    """As in ``+1.8 (+1.0 to +2.5), p 0.010``, in points."""
    return f"{interval(Change(*(100 * each for each in found[:3])))}, p {p:.3f}"


def seed_scores(task: TaskResults) -> dict[str, Scores]:
    """Checkpoint -> its zero-shot score by each seed."""
    return {name: task.averages(name, task.zero_shot, task.score_metrics) for name in task.runs}


def table(results: StudyResults) -> str:
    """A row for each checkpoint, a column for each task that enough seeds of both baselines have, and each baseline."""
    columns: dict[str, dict[str, str]] = {}
    for task in (each for each in results.tasks if each.train_languages):
        scores = {name: own for name, own in seed_scores(task).items() if len(own) >= LEAST}
        if set(BASELINES) <= scores.keys():
            columns |= {f"{task.task}, from {baseline}": column(scores, baseline) for baseline in BASELINES}
    names = sorted({name for each in columns.values() for name in each})
    body = [[name, *(each.get(name, "") for each in columns.values())] for name in names]
    return markdown(("checkpoint", *columns), body)


def by_seed(results: StudyResults, task: str) -> str:
    """Of e5-small as it comes each seed's zero-shot score in a task, of the others how theirs differs from it."""
    [found] = (each for each in results.tasks if each.task == task and each.train_languages)
    every = seed_scores(found)
    own = every.pop(NONE)
    body = [[NONE, *(f"{100 * score:.1f}" for _, score in sorted(own.items()))]]
    for name, scores in sorted(every.items()):
        body.append([name, *(signed(100 * (scores[s] - own[s])) if s in scores else "" for s in sorted(own))])
    return markdown(("checkpoint", *(f"seed {seed}" for seed in sorted(own))), body)


def main() -> None:
    """Write the tables."""
    results = read_results(HERE / "results")

    def made(name: str) -> str:
        return table(results) if name == "five-seeds" else by_seed(results, name)

    markers.update([HERE / "details.md"], "paired", made, False, "paired.py")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    main()
