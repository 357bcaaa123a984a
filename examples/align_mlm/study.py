"""The settings of the study, and the scores and gaps of every run from 3_evaluate.sh."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.evaluation.metric import f1, ratio

OBJECTIVES = {"mlm": "MLM", "xlm": "XLM", "dict_mlm": "DICT-MLM", "align_mlm": "ALIGN-MLM"}
LANGUAGES = {"trans": "Trans", "trans_inv": "Trans + Inv", "trans_syn": "Trans + Syn"}
TASKS = {"xnli": "XNLI", "ner": "NER", "pos": "POS"}
# The paper's measure of each task; XTREME's F1 reads POS tags as entities.
METRICS = {"xnli": "accuracy", "ner": "f1", "pos": "f1"}
VALUES: dict[str, Callable[[np.ndarray], np.ndarray]] = {"accuracy": ratio, "f1": f1}
PARTS = ("all", "trained", "held out")  # of the lexicon, for the alignment score
VARIANTS = {"overlap": 0, "parallel": 25, "dictionary": 25}


@dataclass(frozen=True)
class Setting:
    """An objective and a derived language; shared pieces, XLM's pairs and dictionary entries in percent."""

    objective: str
    language: str
    overlap: int = VARIANTS["overlap"]
    parallel: int = VARIANTS["parallel"]
    dictionary: int = VARIANTS["dictionary"]

    @property
    def folder(self) -> str:
        """The folder of the derived language's files."""
        return self.language + self._variants("overlap")

    @property
    def data(self) -> str:
        """The data-bin's name."""
        return self.language + self._variants(*VARIANTS)

    @property
    def is_default(self) -> bool:
        """Whether the setting is part of the main grid."""
        return self.data == self.language

    def __str__(self) -> str:
        return f"{self.objective}.{self.data}"

    def _variants(self, *names: str) -> str:
        return "".join(f".{name}{getattr(self, name)}" for name in names if getattr(self, name) != VARIANTS[name])


def split_name(name: str) -> tuple[Setting, int]:
    """Setting and seed from a run's name, ``OBJECTIVE.LANGUAGE[.VARIANT]-SEED``."""
    variants = "".join(rf"(?:\.{variant}(?P<{variant}>\d+))?" for variant in VARIANTS)
    names = (rf"(?P<{key}>{'|'.join(known)})" for key, known in (("objective", OBJECTIVES), ("language", LANGUAGES)))
    found = re.fullmatch(r"\.".join(names) + variants + r"-(?P<seed>\d+)", name, re.ASCII)
    if not found:
        raise XalignError(
            "unknown run",
            found=name,
            expected=f"OBJECTIVE.LANGUAGE-SEED, also .overlap25, .parallel10, .dictionary50 after LANGUAGE; "
            f"objectives {', '.join(OBJECTIVES)}, languages {', '.join(LANGUAGES)}",
        )
    chosen = {variant: int(found[variant]) for variant in VARIANTS if found[variant]}
    return Setting(found["objective"], found["language"], **chosen), int(found["seed"])


@dataclass(frozen=True)
class Run:
    """A checkpoint's results: its JSON record, and counts (items, K) for each ``TASK/LANGUAGE/METRIC``."""

    setting: Setting
    seed: int
    record: dict[str, Any]
    counts: dict[str, np.ndarray]

    def has(self, task: str) -> bool:
        """Whether there are results for a task."""
        return f"{task}/xx/{METRICS[task]}" in self.counts

    def gap_counts(self, task: str, metric: str | None = None) -> np.ndarray:
        """Counts of each item (N, 2K): of the supervised model, then of the zero-shot model."""
        metric = metric or METRICS[task]
        return np.concatenate([self.counts[f"{name}/xx/{metric}"] for name in (f"{task}-supervised", task)], axis=1)

    def scores(self, task: str, metric: str | None = None) -> dict[str, float]:
        """Supervised (``SUP``) and zero-shot (``ZS``) score, and their difference (``Δ``)."""
        metric = metric or METRICS[task]
        totals = self.gap_counts(task, metric).sum(0).astype(np.float64)
        sup, zs = (float(VALUES[metric](half)) for half in np.split(totals, 2))
        return {"SUP": sup, "ZS": zs, "Δ": sup - zs}

    def alignment(self, part: str = "all") -> float:
        """Alignment score of a part of the lexicon; ``nan`` if it has none."""
        return float(self.record["alignment"].get(part, {"score": np.nan})["score"])


def gap_value(task: str) -> Callable[[np.ndarray], np.ndarray]:
    """Summed :meth:`Run.gap_counts` (..., 2K) -> the gap (...,)."""
    value = VALUES[METRICS[task]]
    return lambda totals: np.subtract(*(value(half) for half in np.split(totals, 2, axis=-1)))


def place(folder: Path, name: str) -> Path:
    """The results file of a run."""
    return folder / "runs" / f"{name}.json"


def write(path: Path, record: Mapping[str, Any], counts: Mapping[str, np.ndarray]) -> None:
    """Write a run's record as JSON and, before it, counts (items, K) in the smallest integers as ``.npz``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    small = {name: table.astype(np.min_scalar_type(int(table.max()))) for name, table in counts.items()}
    with atomic_write(path.with_suffix(".npz"), "wb") as out:
        np.savez_compressed(out, **small)
    write_json(path, record)


def read(folder: Path) -> dict[Setting, list[Run]]:
    """The runs of each setting, by seed."""
    found: dict[Setting, list[Run]] = {}
    for path in place(folder, "*").parent.glob("*.json"):
        setting, seed = split_name(path.stem)
        with np.load(path.with_suffix(".npz")) as counts:
            found.setdefault(setting, []).append(Run(setting, seed, read_json(path), dict(counts)))
    return {setting: sorted(found[setting], key=lambda run: run.seed) for setting in sorted(found, key=_order)}


def _order(setting: Setting) -> tuple[Any, ...]:
    """The paper's order: objectives, then languages; variants after the main grid."""
    places = list(OBJECTIVES).index(setting.objective), list(LANGUAGES).index(setting.language)
    return (not setting.is_default, *places, setting.overlap, setting.parallel, setting.dictionary)
