"""The result of one run, from its folder."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np

from xalign_fairseq.core.array_files import ArrayForm, read_arrays
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.locks import differing_keys
from xalign_fairseq.evaluation.metric import Metric
from xalign_fairseq.evaluation.signature import parse_signature
from xalign_fairseq.transfer.benchmarks import BENCHMARKS

FORMAT = 1
COUNTS = ArrayForm(np.number)  # size of the items that a score counts
EACH = "each"


class ResultFile(TypedDict):
    """The keys of ``result.json`` that are read later."""

    format: int
    checkpoint: str
    task: str
    benchmark: str
    models: str
    train_languages: list[str]
    seed: int
    scores: dict[str, dict[str, float] | None]
    items: dict[str, int]
    signatures: dict[str, dict[str, str]]
    made_by: NotRequired[dict[str, Any]]  # most results in examples/ lack it


@dataclass(frozen=True)
class RunResult:
    """One checkpoint's scores on one task with one seed, and what determined its training (None if unknown)."""

    folder: Path
    checkpoint: str
    task: str
    benchmark: str
    models: str
    train_languages: tuple[str, ...]
    seed: int
    scores: dict[str, dict[str, float]]
    items: dict[str, int]
    signatures: dict[str, dict[str, str]]
    made_by: dict[str, Any] | None = None

    @classmethod
    def read(cls, folder: Path) -> "RunResult":
        """Read ``result.json``; :class:`XalignError` if it is damaged or of another format."""
        path = folder / "result.json"
        found: dict[str, Any] = dict(read_json(path, ResultFile))
        values = {key: found[key] for key in ResultFile.__required_keys__}
        version = values.pop("format")
        if version != FORMAT:
            raise XalignError("the result has another format", where=path, found=version, expected=FORMAT)
        if values["benchmark"] not in BENCHMARKS:
            known = ", ".join(BENCHMARKS)
            raise XalignError("unknown benchmark", where=path, found=values["benchmark"], expected=known)
        values["train_languages"] = tuple(found["train_languages"])
        values["scores"] = {language: scores for language, scores in found["scores"].items() if scores}
        made_by = found.get("made_by")
        return cls(folder, **values, made_by=None if made_by is None else {"score": [], **made_by})

    @property
    def score(self) -> tuple[str, ...]:
        """The metrics of the task's score; empty for the benchmark's metrics."""
        return tuple((self.made_by or {}).get("score", ()))

    @property
    def training(self) -> str:
        """The training languages, or ``each`` if each language has its own model."""
        return EACH if self.models == EACH else "+".join(self.train_languages)

    def counts(self, language: str, metrics: Sequence[Metric]) -> np.ndarray:
        """Counts (N, K) of a language's items, with the concatenated columns of all ``metrics``."""
        path = self.folder / "counts.npz"
        arrays = list(read_counts(path, [f"{language}/{metric.name}" for metric in metrics]).values())
        shapes = [(self.items[language], len(metric.columns)) for metric in metrics]
        if [array.shape for array in arrays] != shapes:
            raise XalignError(
                "the counts do not match their result",
                where=f"{path}, {language}",
                found=[array.shape for array in arrays],
                expected=f"{shapes} for {', '.join(metric.name for metric in metrics)}",
                remedy="remove the run's folder and run it again",
            )
        return np.concatenate(arrays, axis=1)

    def measured(self, language: str) -> list[dict[str, str]]:
        """The signature of each metric without version and layer, which may differ between compared runs."""
        found = []
        for metric in BENCHMARKS[self.benchmark].metrics:
            signature = self.signatures.get(language, {}).get(metric.name)
            if signature is None or metric.name not in self.scores[language]:
                raise XalignError(
                    "a result lacks a metric of its benchmark",
                    where=self.folder / "result.json",
                    found=", ".join(self.scores[language]),
                    expected=f"{metric.name} with its signature, of {language}",
                    remedy="remove the run's folder and run it again",
                )
            parts = parse_signature(signature).items()
            found.append({key: value for key, value in parts if key not in ("version", "layer")})
        return found


def read_counts(path: Path, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """The tables of a run's ``counts.npz``: all, or those of the required ``names``."""
    form = COUNTS if names is None else dict.fromkeys(names, COUNTS)
    return read_arrays(path, form, remedy="remove the run's folder and run it again")


def differing(first: RunResult, second: RunResult, but: Iterable[str] = ()) -> list[str]:
    """The keys of ``made_by`` in which two runs differ, without ``but``."""
    return differing_keys(first.made_by or {}, second.made_by or {}, but)


def both(keys: Iterable[str], first: RunResult, second: RunResult) -> str:
    """The values of two runs under these keys, for an error."""
    mine, other = first.made_by or {}, second.made_by or {}
    return "; ".join(
        f"{key} {brief(mine.get(key), other.get(key))} and {brief(other.get(key), mine.get(key))}" for key in keys
    )


def brief(value: object, other: object) -> str:
    """A value as JSON; two mappings show only their differences."""
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        value = {key: each for key, each in value.items() if each != other.get(key)}
    return json.dumps(value, ensure_ascii=False)
