"""Differences between checkpoints seed by seed: a table of details.md.

usage: python paired.py

The fine-tunings of two checkpoints with one seed share their head at first and their order of examples, and most of
what a seed does is done to both. So the differences of the same seeds spread less than those of any two, of which
xalign transfer-report makes its intervals. Reads results/runs, and of results/report/report.json which metric and which
languages make a task's zero-shot score.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))

import markers

from xalign_fairseq.evaluation.figures import signed
from xalign_fairseq.evaluation.statistics import holm
from xalign_fairseq.evaluation.tables import markdown
from xalign_fairseq.files import read_json

HERE = Path(__file__).resolve().parent
NONE = "none"  # e5-small as it comes
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


def zero_shot(runs: Path, task: Mapping[str, Any]) -> dict[str, dict[int, float]]:
    """Checkpoint -> its zero-shot score by seed, of the runs of a task of a report."""
    metrics, trained = task["scored_by"], task["train_languages"]
    found: dict[str, dict[int, float]] = {}
    for path in sorted(runs.glob(f"*/{task['task']}/{'-'.join(trained)}/*/result.json")):
        run = read_json(path)
        others = [run["scores"][language] for language in task["languages"] if language not in trained]
        score = np.mean([scores[metric] for scores in others for metric in metrics])
        found.setdefault(run["checkpoint"], {})[run["seed"]] = float(score)
    return found


def column(scores: Mapping[str, Scores], baseline: str) -> dict[str, str]:
    """Checkpoint -> how it differs from a baseline; p after Holm's correction over the checkpoints."""
    others = {name: Paired.of(scores[baseline], own) for name, own in scores.items() if name not in (NONE, baseline)}
    corrected = holm([each.p for each in others.values()])
    return {name: shown(each, p) for (name, each), p in zip(others.items(), corrected, strict=True)}


def shown(found: Paired, p: float) -> str:
    """As in ``+1.8 (+1.0 to +2.5), p 0.010``, in points."""
    value, low, high = (signed(100 * each) for each in found[:3])
    return f"{value} ({low} to {high}), p {p:.3f}"


def table(runs: Path, tasks: Sequence[Mapping[str, Any]]) -> str:
    """A row for each checkpoint, a column for each task that enough seeds of both baselines have, and each baseline."""
    columns: dict[str, dict[str, str]] = {}
    for task in (each for each in tasks if each["train_languages"]):
        scores = {name: own for name, own in zero_shot(runs, task).items() if len(own) >= LEAST}
        if set(BASELINES) <= scores.keys():
            columns |= {f"{task['task']}, from {baseline}": column(scores, baseline) for baseline in BASELINES}
    names = sorted({name for each in columns.values() for name in each})
    body = [[name, *(each.get(name, "") for each in columns.values())] for name in names]
    return markdown(("checkpoint", *columns), body)


def main() -> None:
    """Write the table."""
    tasks = read_json(HERE / "results/report/report.json")["tasks"]
    markers.update(
        [HERE / "details.md"], "paired", lambda name: table(HERE / "results/runs", tasks), False, "paired.py"
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    main()
