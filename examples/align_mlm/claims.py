"""The paper's claims as differences between gaps, each tested over test items and over seeds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import study
from common.differences import EQUAL, Difference, compare, correct
from scipy import stats
from study import LANGUAGES, OBJECTIVES, Run, Setting

# The paper's gaps by transliteration alone, "about 0", are at most 2.6 points (MLM in NER).
NEGLIGIBLE = 0.03
MARK = " †"
Runs = dict[Setting, list[Run]]


def _inversion(objective: str, **variant: int) -> Setting:
    return Setting(objective, "trans_inv", **variant)


# Claim -> pairs of settings; the gap of the first is the smaller one.
SMALLER: dict[str, list[tuple[Setting, Setting]]] = {
    "With inversion ALIGN-MLM transfers best": [
        (_inversion("align_mlm"), _inversion(other)) for other in ("mlm", "xlm", "dict_mlm")
    ],
    # Not a claim of the paper, which compares with MLM and XLM only for a quarter.
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
class Finding(Difference):
    """A claim in one task: a difference of gaps, or of a gap and what is negligible.

    Attributes:
        says: what is compared; the claim is that the difference is negative.
    """

    claim: str
    task: str
    says: str

    @property
    def verdict(self) -> str:
        """``holds``, ``does not hold`` (the contrary is significant) or ``unclear``."""
        if not self.significant:
            return "unclear"
        return "holds" if self.difference < 0 else "does not hold"


def judge(runs: Runs, tasks: Sequence[str]) -> list[Finding]:
    """Every claim in every task whose settings were run; Holm's correction is over a claim's tests in a task."""
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


def _transliterated(measured: Runs) -> list[Setting]:
    """With several seeds: nothing else says how far a gap is from negligible."""
    return [Setting(each, "trans") for each in OBJECTIVES if len(measured.get(Setting(each, "trans"), ())) > 1]


def smaller_gap(claim: str, task: str, smaller: Sequence[Run], larger: Sequence[Run]) -> Finding:
    """The gap of the first runs minus that of the second ones."""
    counts = ([run.gap_counts(task) for run in runs] for runs in (larger, smaller))
    says = difference_of(smaller[0].setting, larger[0].setting) + mark((*smaller, *larger))
    return Finding(claim=claim, task=task, says=says, **vars(compare(*counts, study.gap_value(task))))


def negligible(task: str, runs: Sequence[Run]) -> Finding:
    """The gap minus :data:`NEGLIGIBLE`, by Student's t over seeds."""
    gaps = np.array([run.scores(task)["Δ"] for run in runs]) - NEGLIGIBLE
    mean, error = gaps.mean(), gaps.std(ddof=1) / np.sqrt(len(gaps))
    half = stats.t.ppf(0.975, len(gaps) - 1) * error
    p = 2 * stats.t.sf(abs(mean) / error, len(gaps) - 1) if error > EQUAL else float(abs(mean) < EQUAL)
    says = f"{OBJECTIVES[runs[0].setting.objective]} − {100 * NEGLIGIBLE:.0f} points, {LANGUAGES['trans']}{mark(runs)}"
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
    """``ALIGN-MLM − XLM, parallel 10 %; Trans + Inv``; with the common part only once."""
    names = [f"{OBJECTIVES[each.objective]}{variant(each)}" for each in (smaller, larger)]
    if variant(smaller) == variant(larger) != "":
        names = [OBJECTIVES[each.objective] for each in (smaller, larger)]
        return f"{' − '.join(names)}{variant(smaller)}; {LANGUAGES[larger.language]}"
    return f"{' − '.join(names)}; {LANGUAGES[larger.language]}"


def mark(runs: Iterable[Run]) -> str:
    """:data:`MARK` where a run is a former one, which the report explains; otherwise empty."""
    return MARK if any(run.former for run in runs) else ""


def variant(setting: Setting) -> str:
    """What a setting varies: ``, parallel 10 %``."""
    return "".join(
        f", {name} {getattr(setting, name)} %"
        for name, usual in study.VARIANTS.items()
        if getattr(setting, name) != usual
    )
