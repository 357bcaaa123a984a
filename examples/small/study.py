"""What evaluate.py writes and report.py reads: settings and their baselines, and the measures."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common import results

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.metric import ratio

RESULTS = Path(__file__).resolve().parent / "results"
BASELINES = ("none", "tlm", "tlm30")
# The paper that a setting is of; the baselines are of none.
PAPERS = {
    "explicit_alignments": ("linear_mapping", "procrustes", "l2", "l2_hidden", "weak", "strong"),
    "ppa": ("ppa", "moco", "ppa_mlm", "ppa_mean"),
    "weam": ("weam",),
}
SETTINGS = (*BASELINES, *(setting for settings in PAPERS.values() for setting in settings))
# What a setting is compared with: no continuation, and TLM alone. WEAM masks 30 % of the tokens, and so does its TLM.
COMPARISONS = {
    "none": {setting: "none" for setting in SETTINGS if setting != "none"},
    "TLM": {setting: "tlm" for setting in SETTINGS if setting not in BASELINES} | {"weam": "tlm30"},
}
# No draw of random numbers is in them: the encoder itself, and maps in closed form.
WITHOUT_SEED = ("none", "procrustes")


def aer(totals: np.ndarray) -> np.ndarray:
    """AER of summed counts (..., 4): sure hits, possible hits, links, sure links; without any link it is 1."""
    return 1 - ratio(np.stack([totals[..., 0] + totals[..., 1], totals[..., 2] + totals[..., 3]], axis=-1))


@dataclass(frozen=True)
class Measure:
    """A figure of the study.

    Attributes:
        label: for tables.
        value: summed counts (..., K) -> fraction (...,).
        sign: 1 if higher is better, -1 if lower is.
    """

    label: str
    value: Callable[[np.ndarray], np.ndarray] = ratio
    sign: int = 1


MEASURES = {
    "aer": Measure("AER, chosen", aer, -1),
    "aer-joint": Measure("AER, joint, last layer, argmax", aer, -1),
    "aer-separate": Measure("AER, separate, last layer, argmax", aer, -1),
    "accuracy": Measure("retrieval to en, cosine, mean"),
    "accuracy-from-en": Measure("from en, cosine, mean"),
    "margin-accuracy": Measure("to en, margin, mean"),
    "margin-accuracy-from-en": Measure("from en, margin, mean"),
    "accuracy-cls": Measure("to en, cosine, cls"),
    "accuracy-from-en-cls": Measure("from en, cosine, cls"),
    "margin-accuracy-cls": Measure("to en, margin, cls"),
    "margin-accuracy-from-en-cls": Measure("from en, margin, cls"),
    "alignment": Measure("alignment score from en"),
    "alignment-to-en": Measure("alignment score to en"),
    "alignment-rank": Measure("alignment rank from en"),
    "alignment-rank-to-en": Measure("alignment rank to en"),
}
HEADLINES = {"aer": "AER", "accuracy": "retrieval", "alignment": "alignment score"}


@dataclass(frozen=True)
class Run:
    """A checkpoint's results: what its JSON file says, and for each measure counts (items, K)."""

    record: dict[str, Any]
    counts: dict[str, np.ndarray]

    def score(self, measure: str) -> float:
        """The measure over all items, a fraction."""
        return float(MEASURES[measure].value(self.counts[measure].sum(0).astype(np.float64)))


def split_name(name: str) -> tuple[str, int | None]:
    """Setting and seed of ``SETTING-SEED``, or of a setting that has no seed."""
    match = re.fullmatch(r"(\w+?)(?:-(\d+))?", name, re.ASCII)
    setting, seed = match.groups() if match else (name, None)
    if setting not in SETTINGS or (seed is None and setting not in WITHOUT_SEED):
        raise XalignError(
            "there is no such run in the study",
            found=name,
            expected=f"SETTING-SEED, or {' or '.join(WITHOUT_SEED)}; SETTING is one of {', '.join(SETTINGS)}",
        )
    return setting, int(seed) if seed and setting not in WITHOUT_SEED else None


def place(folder: Path, name: str) -> Path:
    """The results file of a run."""
    split_name(name)
    return folder / "runs" / f"{name}.json"


def read(folder: Path) -> dict[str, list[Run]]:
    """The runs of each setting, by seed; settings without results are left out."""
    found: dict[str, list[Run]] = {}
    pairs: dict[str, str] = {}
    for setting in SETTINGS:
        paths = [path for path in (folder / "runs").glob(f"{setting}*.json") if split_name(path.stem)[0] == setting]
        for path in sorted(paths, key=lambda path: split_name(path.stem)[1] or 0):
            run = Run(*results.read(path))
            pairs[run.record["pair"]] = path.stem
            found.setdefault(setting, []).append(run)
    if len(pairs) > 1:
        raise XalignError(
            "results of different pairs can't be compared",
            where=folder,
            found=", ".join(f"{name} of {pair}" for pair, name in pairs.items()),
            remedy="measure all runs again with one PAIR",
        )
    return found
