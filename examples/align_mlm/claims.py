"""The paper's claims as differences between gaps, tested over test items and over seeds."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import study
from scipy import stats
from study import LANGUAGES, OBJECTIVES, Run, Setting

from xalign_fairseq.evaluation.statistics import Comparison, Value, holm, resample

# The paper calls gaps with transliteration alone "about 0"; they are at most 2.6 points (MLM in NER).
NEGLIGIBLE = 0.03
SIGNIFICANT = 0.05
EQUAL = 1e-12  # smaller differences are rounding errors of equal counts
Runs = dict[Setting, list[Run]]


def _inversion(objective: str, **variant: int) -> Setting:
    return Setting(objective, "trans_inv", **variant)


# Claim -> pairs of settings; the first should have the smaller gap.
SMALLER: dict[str, list[tuple[Setting, Setting]]] = {
    "With inversion ALIGN-MLM transfers best": [
        (_inversion("align_mlm"), _inversion(other)) for other in ("mlm", "xlm", "dict_mlm")
    ],
    # Not in the paper, which compares with MLM and XLM only at a quarter.
    "With inversion and half of the pieces in the dictionary ALIGN-MLM transfers best": [
        (_inversion("align_mlm", dictionary=50), other)
        for other in (_inversion("mlm"), _inversion("xlm"), _inversion("dict_mlm", dictionary=50))
    ],
    "With syntax MLM transfers worst": [
        (Setting(better, "trans_syn"), Setting("mlm", "trans_syn")) for better in ("xlm", "dict_mlm", "align_mlm")
    ],
    "No amount of parallel text brings XLM to ALIGN-MLM": [
        (_inversion("align_mlm"), _inversion("xlm", parallel=each)) for each in (1, 10, 100)
    ],
    "ALIGN-MLM makes better use of a dictionary than DICT-MLM": [
        (Setting("align_mlm", language, dictionary=each), Setting("dict_mlm", language, dictionary=each))
        for language in ("trans_inv", "trans_syn")
        for each in (25, 50)
    ],
    "Shared pieces help XLM": [(_inversion("xlm", overlap=each), _inversion("xlm")) for each in (25, 50)],
}
SCRIPT = "Another script alone is no obstacle"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A claim in one task: the difference of two gaps, or of a gap and a negligible one, as fractions.

    Attributes:
        says: the comparison; the claim is that the difference is negative.
        low, high: 95 % interval from the bootstrap, or from Student's t over seeds if there is no bootstrap.
        p_bootstrap: over test items and seeds, or over items alone; None if only seeds are tested.
        p_seeds: of the t-test over seeds; None if only items are tested.
        p_holm: the larger of both, corrected over a family of tests.
    """

    claim: str
    task: str
    says: str
    difference: float
    low: float
    high: float
    p_bootstrap: float | None
    p_seeds: float | None
    p_holm: float = 1.0

    @property
    def p_value(self) -> float:
        """The larger p of the tests: all must be significant."""
        return max(p for p in (self.p_bootstrap, self.p_seeds) if p is not None)

    @property
    def verdict(self) -> str:
        """``holds``, ``does not hold`` (the opposite is significant) or ``unclear``."""
        if self.p_holm >= SIGNIFICANT:
            return "unclear"
        return "holds" if self.difference < 0 else "does not hold"


def judge(runs: Runs, tasks: Sequence[str]) -> list[Finding]:
    """Every claim in every task whose settings have runs; Holm's correction is over a claim's tests in a task."""
    found: list[Finding] = []
    for task in tasks:
        measured = {setting: [run for run in mine if run.has(task)] for setting, mine in runs.items()}
        measured = {setting: mine for setting, mine in measured.items() if mine}
        found += correct(negligible(task, measured[setting]) for setting in _transliterated(measured))
        for claim, pairs in SMALLER.items():
            there = [[measured[each] for each in pair] for pair in pairs if set(pair) <= set(measured)]
            found += correct(smaller_gap(claim, task, *both) for both in there)
    order = [SCRIPT, *SMALLER]
    return sorted(found, key=lambda finding: order.index(finding.claim))


def correct(family: Iterable[Finding]) -> list[Finding]:
    """The same findings with Holm's correction over all of them."""
    family = list(family)
    adjusted = holm([each.p_value for each in family])
    return [replace(each, p_holm=p) for each, p in zip(family, adjusted, strict=True)]


def compare(first: Sequence[np.ndarray], second: Sequence[np.ndarray], value: Value) -> dict[str, float | None]:
    """The second runs minus the first: a paired bootstrap and, if both sides have several seeds, a t-test."""
    sides = [np.stack(first), np.stack(second)]
    several = len(first) > 1 < len(second)
    test = Comparison.of_items_and_seeds if several else Comparison.of_items
    found = test(*resample([sides[:1], sides[1:]], value)).test()
    p_seeds = _p_of_seeds(*(value(runs.sum(1).astype(np.float64)) for runs in sides)) if several else None
    both = {"p_bootstrap": found.p_value, "p_seeds": p_seeds}
    return {"difference": found.difference, "low": found.low, "high": found.high, **both}


def _p_of_seeds(first: np.ndarray, second: np.ndarray) -> float:
    """p of Welch's t-test between the scores of two sides."""
    if max(np.ptp(first), np.ptp(second)) < EQUAL:  # no deviation to divide by
        return float(abs(first[0] - second[0]) < EQUAL)
    with warnings.catch_warnings():
        # Equal scores on one side are allowed in Welch's test, though SciPy warns.
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(stats.ttest_ind(first, second, equal_var=False).pvalue)


def _transliterated(measured: Runs) -> list[Setting]:
    """The settings with several seeds: one seed allows no test of whether the gap is negligible."""
    return [Setting(each, "trans") for each in OBJECTIVES if len(measured.get(Setting(each, "trans"), ())) > 1]


def smaller_gap(claim: str, task: str, smaller: Sequence[Run], larger: Sequence[Run]) -> Finding:
    """The gap of the first runs minus the gap of the second ones."""
    counts = ([run.gap_counts(task) for run in runs] for runs in (larger, smaller))
    says = difference_of(smaller[0].setting, larger[0].setting)
    return Finding(claim=claim, task=task, says=says, **compare(*counts, study.gap_value(task)))


def negligible(task: str, runs: Sequence[Run]) -> Finding:
    """The gap minus :data:`NEGLIGIBLE`, by Student's t over seeds."""
    gaps = np.array([run.scores(task)["Δ"] for run in runs]) - NEGLIGIBLE
    mean, error = gaps.mean(), gaps.std(ddof=1) / np.sqrt(len(gaps))
    half = stats.t.ppf(0.975, len(gaps) - 1) * error
    p = 2 * stats.t.sf(abs(mean) / error, len(gaps) - 1) if error > EQUAL else float(abs(mean) < EQUAL)
    says = f"{OBJECTIVES[runs[0].setting.objective]} − {100 * NEGLIGIBLE:.0f} points, {LANGUAGES['trans']}"
    return Finding(
        claim=SCRIPT,
        task=task,
        says=says,
        difference=float(mean),
        low=float(mean - half),
        high=float(mean + half),
        p_bootstrap=None,
        p_seeds=float(p),
    )


def difference_of(smaller: Setting, larger: Setting) -> str:
    """``ALIGN-MLM − XLM, parallel 10 %; Trans + Inv``; common parts appear once."""
    names = [f"{OBJECTIVES[each.objective]}{variant(each)}" for each in (smaller, larger)]
    if variant(smaller) == variant(larger) != "":
        names = [OBJECTIVES[each.objective] for each in (smaller, larger)]
        return f"{' − '.join(names)}{variant(smaller)}; {LANGUAGES[larger.language]}"
    return f"{' − '.join(names)}; {LANGUAGES[larger.language]}"


def variant(setting: Setting) -> str:
    """The varied option of a setting: ``, parallel 10 %``."""
    return "".join(
        f", {name} {getattr(setting, name)} %"
        for name, usual in study.VARIANTS.items()
        if getattr(setting, name) != usual
    )
