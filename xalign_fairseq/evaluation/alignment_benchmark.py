"""Word aligners on several test sets: each set's scores, the mean AER with its interval, tests against the first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xalign_fairseq.evaluation.link_scores import figures
from xalign_fairseq.evaluation.statistics import holm
from xalign_fairseq.links.aer import AlignmentCounts
from xalign_fairseq.links.bootstrap import METRICS, bootstrap_intervals, mean_aer_interval, paired_bootstrap_of_sets


@dataclass(frozen=True)
class System:
    """Links of an aligner on all test sets: of each set the counts of each pair."""

    name: str
    signature: str
    counts: Sequence[Sequence[AlignmentCounts]]


def compare_systems(
    systems: Sequence[System], sets: Sequence[str], *, samples: int = 1000, seed: int = 1
) -> list[dict[str, Any]]:
    """A row for each system, fractions: scores with intervals of each set, their means, and tests against the first.

    The difference is of the mean AER; ``holm`` is its ``p_value`` of the paired bootstrap, corrected for the number of
    tests.
    """
    rows = []
    for system in systems:
        each = [_scores(name, counts, samples, seed) for name, counts in zip(sets, system.counts, strict=True)]
        means = {metric: sum(found[metric] for found in each) / len(each) for metric in METRICS}
        interval = mean_aer_interval(system.counts, samples=samples, seed=seed)
        rows.append({"system": system.name, **means, "interval": interval, "sets": each, "signature": system.signature})
    first, *others = (system.counts for system in systems)
    tests = [paired_bootstrap_of_sets(first, other, samples=samples, seed=seed) for other in others]
    corrected = holm([test.p_value for test in tests])
    for row, test, p_value in zip(rows[1:], tests, corrected, strict=True):
        row |= {
            "difference": test.difference,
            "difference_interval": (test.low, test.high),
            "p_value": test.p_value,
            "holm": p_value,
        }
    return rows


def _scores(name: str, counts: Sequence[AlignmentCounts], samples: int, seed: int) -> dict[str, Any]:
    interval = bootstrap_intervals(counts, samples=samples, seed=seed)
    return {"set": name, **figures(counts), "interval": interval}
