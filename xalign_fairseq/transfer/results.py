"""The finished runs of a study, read from their folders and checked to be comparable."""

import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json, require_form
from xalign_fairseq.evaluation.metric import Metric
from xalign_fairseq.evaluation.signature import parse_signature
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, Benchmark

FORMAT = 1
EACH = "each"
# Of what made a run, what follows from the languages that it is trained on.
OF_LANGUAGES = ("valid_languages", "digests", "train_examples", "updates", "warmup_updates")
# Of what made a run, what its encoder is: checkpoints are compared because it differs.
OF_ENCODER = ("checkpoint_digest", "encoder")


class ResultFile(TypedDict):
    """What of ``result.json`` is read again."""

    checkpoint: str
    task: str
    benchmark: str
    models: str
    train_languages: list[str]
    seed: int
    scores: dict[str, dict[str, float] | None]
    items: dict[str, int]
    signatures: dict[str, dict[str, str]]
    made_by: NotRequired[dict[str, Any]]  # which results of earlier versions lack


KEYS = tuple(key for key in ResultFile.__annotations__ if key in ResultFile.__required_keys__)


@dataclass(frozen=True)
class RunResult:
    """One checkpoint fine-tuned on one task with one seed, and its scores.

    Attributes:
        folder: with ``result.json`` and ``counts.npz``.
        train_languages: empty if the task needs no training.
        scores: language -> metric -> fraction; only languages whose test files have labels.
        items: test items of each language that was tested.
        signatures: language -> metric -> what was measured.
        made_by: all that decided its training but the seed; None in results of earlier versions.
    """

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
        """Read a run's ``result.json``; :class:`XalignError` if it is not one."""
        path = folder / "result.json"
        found = read_json(path)
        version, missing = found.get("format"), [key for key in KEYS if key not in found]
        if version != FORMAT or missing:
            raise XalignError(
                "the result can't be read",
                where=path,
                found=f"format {version}, " + (f"without {', '.join(missing)}" if missing else "all keys"),
                expected=f"format {FORMAT} with {', '.join(KEYS)}",
                remedy="test the checkpoint again with this version of xalign transfer",
            )
        require_form(found, ResultFile, path)
        if found["benchmark"] not in BENCHMARKS:
            raise XalignError(
                "the result is of an unknown benchmark",
                where=path,
                found=found["benchmark"],
                expected=", ".join(BENCHMARKS),
            )
        values: dict[str, Any] = {key: found[key] for key in KEYS}
        values["train_languages"] = tuple(found["train_languages"])
        values["scores"] = {language: scores for language, scores in found["scores"].items() if scores}
        return cls(folder, **values, made_by=found.get("made_by"))

    @property
    def score(self) -> tuple[str, ...]:
        """The metrics that its study scores the task by; empty for the benchmark's own."""
        return tuple((self.made_by or {}).get("score", ()))

    @property
    def training(self) -> str:
        """What tells settings of one task apart: the training languages, or that each language has its own model."""
        return EACH if self.models == EACH else "+".join(self.train_languages)

    def counts(self, language: str, metrics: Sequence[Metric]) -> np.ndarray:
        """Counts (N, K) of a language's items, the columns of all ``metrics`` side by side."""
        path = self.folder / "counts.npz"
        arrays = list(read_counts(path, [f"{language}/{metric.name}" for metric in metrics]).values())
        shapes = [(self.items[language], len(metric.columns)) for metric in metrics]
        if [array.shape for array in arrays] != shapes:
            raise XalignError(
                "the counts are not those of the result beside them",
                where=f"{path}, {language}",
                found=[array.shape for array in arrays],
                expected=f"{shapes} for {', '.join(metric.name for metric in metrics)}",
                remedy="remove the run's folder and make the run again",
            )
        return np.concatenate(arrays, axis=1)


def read_counts(path: Path, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """The tables of a run's ``counts.npz``, or those of the ``names`` that it has.

    Raises:
        XalignError: it is missing or damaged.
    """
    try:
        with np.load(path) as stored:
            return {name: stored[name] for name in (stored.files if names is None else names) if name in stored}
    # The last two: a file that names another compression, one of a single table.
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError, TypeError) as error:
        raise XalignError(
            "the counts can't be read",
            where=path,
            found=error,
            remedy="remove the run's folder and make the run again",
        ) from None


@dataclass(frozen=True)
class Setting:
    """A task and what its models are trained on, with the runs of all checkpoints and seeds.

    Attributes:
        task: its name in the study.
        benchmark: what was tested.
        models: ``one`` model for all languages, or one for ``each``.
        train_languages: of all its runs.
        languages: those with scores, English first.
        measured: language -> the signatures' parts that all runs share, metric by metric.
        runs: checkpoint -> seed -> language -> the run that tested it.
        score: names of the metrics that the study scores the task by; empty for the benchmark's own.
    """

    task: str
    benchmark: Benchmark
    models: str
    train_languages: tuple[str, ...]
    languages: tuple[str, ...]
    measured: dict[str, list[dict[str, str]]]
    runs: dict[str, dict[int, dict[str, RunResult]]]
    score: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Such as ``pos, trained on en``."""
        if self.models == EACH:
            return f"{self.task}, a model for each language"
        return f"{self.task}, trained on {'+'.join(self.train_languages)}" if self.train_languages else self.task

    @property
    def zero_shot(self) -> tuple[str, ...]:
        """The tested languages that no run of it was trained on, in whatever treebank (``en_pud`` is English)."""
        trained = set(map(code, self.train_languages))
        return tuple(language for language in self.languages if code(language) not in trained)

    @property
    def averaged(self) -> tuple[str, ...]:
        """The languages over which checkpoints are compared: zero-shot ones or, without any, all."""
        return self.zero_shot or self.languages

    @property
    def score_metrics(self) -> tuple[Metric, ...]:
        """The metrics whose mean is the task's score."""
        return self.benchmark.score(self.score)

    def complete(self, checkpoint: str) -> dict[int, dict[str, RunResult]]:
        """The seeds with which a checkpoint was tested on every language."""
        runs = self.runs.get(checkpoint, {})
        return {seed: tested for seed, tested in runs.items() if all(each in tested for each in self.languages)}

    def scores(self, checkpoint: str, language: str, metrics: Sequence[Metric]) -> dict[int, float]:
        """Seed -> mean of the ``metrics``, of the seeds that have it."""
        return {
            seed: float(np.mean([tested[language].scores[language][metric.name] for metric in metrics]))
            for seed, tested in self.runs.get(checkpoint, {}).items()
            if language in tested
        }

    def averages(self, checkpoint: str, languages: Sequence[str], metrics: Sequence[Metric]) -> dict[int, float]:
        """Seed -> average over ``languages``, of the seeds that have all the setting's languages."""
        columns = [self.scores(checkpoint, language, metrics) for language in languages]
        return {seed: float(np.mean([column[seed] for column in columns])) for seed in self.complete(checkpoint)}


@dataclass(frozen=True)
class StudyResults:
    """All settings of an output folder; ``missing`` and ``unlabelled`` say what is not in them."""

    settings: tuple[Setting, ...]
    checkpoints: tuple[str, ...]
    missing: tuple[str, ...]
    unlabelled: tuple[str, ...]


def code(language: str) -> str:
    """The language of a treebank: ``en`` of ``en_ewt``."""
    return language.partition("_")[0]


def is_english(language: str) -> bool:
    """Whether it is English, also as a treebank's name (``en_ewt``)."""
    return code(language) == "en"


def read_results(out: str | os.PathLike) -> StudyResults:
    """Read and check all runs below ``OUT/runs``.

    Raises:
        XalignError: no finished run, one that can't be read, runs of one setting that were not tested on the same
            data with the same metrics, or runs of one checkpoint in it that differ in more than the seed, or not even
            in that.

    Example::

        read_results("transfer").settings[0].title  # "xnli, trained on en"
    """
    folders = [path.parent for path in sorted(Path(out).glob("runs/*/*/*/*/spec.json"))]
    folders += [path.parent for path in sorted(Path(out).glob("runs/*/*/*/*/result.json"))]
    folders = list(dict.fromkeys(folders))
    runs = [RunResult.read(folder) for folder in folders if (folder / "result.json").is_file()]
    if not runs:
        raise XalignError(
            "there is no finished run",
            where=Path(out) / "runs",
            found=f"{len(folders)} unfinished runs",
            expected="CHECKPOINT/TASK/LANGUAGES/SEED/result.json",
            remedy="xalign transfer --model NAME=PATH ... --out OUT",
        )
    _require_one_spec(runs)
    groups: dict[tuple[str, str], list[RunResult]] = {}
    for run in runs:
        groups.setdefault((run.task, run.training), []).append(run)
    order = list(BENCHMARKS)
    settings = sorted(
        (_setting(group) for group in groups.values() if any(run.scores for run in group)),
        key=lambda each: (order.index(each.benchmark.name), each.task, each.models == EACH, each.train_languages),
    )
    checkpoints = tuple(sorted({run.checkpoint for run in runs}))
    unlabelled = sorted({f"{run.task}, {language}" for run in runs for language in run.items.keys() - run.scores})
    return StudyResults(tuple(settings), checkpoints, tuple(_missing(runs, folders, checkpoints)), tuple(unlabelled))


def _require_one_spec(runs: Sequence[RunResult]) -> None:
    """Means are over seeds, or over models for each language: nothing else may differ between a checkpoint's runs."""
    firsts: dict[tuple[str, ...], RunResult] = {}
    for run in runs:
        if run.made_by is None:
            continue
        setting, languages = (run.checkpoint, run.task, run.training), "+".join(run.train_languages)
        for first in (firsts.setdefault(setting, run), firsts.setdefault((*setting, languages), run)):
            differing = _differing(first, run)
            if first.train_languages != run.train_languages:
                differing = [key for key in differing if key not in OF_LANGUAGES]
            if differing:
                raise XalignError(
                    "two runs of a checkpoint on a task differ in more than seed and languages",
                    where=f"{first.folder} and {run.folder}",
                    found=_both(differing, first, run),
                    expected="the same encoder, training data and settings",
                    remedy="remove the runs that you do not want, or give each study an --out of its own",
                )


def trained_otherwise(setting: Setting, checkpoints: Sequence[str]) -> list[str]:
    """Of each checkpoint that was fine-tuned otherwise than the first one: in what, besides its encoder.

    That may be meant, such as ``pair_separators`` of encoders that were pre-trained with them, or be left of a study
    that has changed since; results of earlier versions do not tell.
    """
    firsts: dict[tuple[str, ...], RunResult] = {}
    found: dict[str, str] = {}
    for checkpoint in checkpoints:
        tested = setting.runs.get(checkpoint, {}).values()
        for run in (run for languages in tested for run in languages.values() if run.made_by is not None):
            first = firsts.setdefault(run.train_languages, run)
            differing = [key for key in _differing(first, run) if key not in OF_ENCODER]
            if differing and first.checkpoint != checkpoint:
                found.setdefault(checkpoint, f"{checkpoint} and {first.checkpoint}: {_both(differing, run, first)}")
    return list(found.values())


def _differing(first: RunResult, second: RunResult) -> list[str]:
    """The keys of what made two runs that are not the same."""
    mine, other = second.made_by or {}, first.made_by or {}
    return [key for key in sorted(mine.keys() | other.keys()) if mine.get(key) != other.get(key)]


def _both(keys: Iterable[str], first: RunResult, second: RunResult) -> str:
    """What two runs have under these keys."""
    mine, other = first.made_by or {}, second.made_by or {}
    return "; ".join(
        f"{key} {brief(mine.get(key), other.get(key))} and {brief(other.get(key), mine.get(key))}" for key in keys
    )


def brief(value: Any, other: Any) -> str:
    """A value for an error that tells it from another one; of mappings only what differs."""
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        value = {key: each for key, each in value.items() if each != other.get(key)}
    return json.dumps(value, ensure_ascii=False)


def _setting(group: Sequence[RunResult]) -> Setting:
    """Runs of one task and its training languages, after a check that they can be compared."""
    first = group[0]
    metrics = BENCHMARKS[first.benchmark].metrics
    seen: dict[str, tuple[RunResult, list[dict[str, str]]]] = {}
    runs: dict[str, dict[int, dict[str, RunResult]]] = {}
    for run in group:
        if run.score != first.score:
            names = [", ".join(each.score) or "the benchmark's own" for each in (first, run)]
            raise XalignError(
                f"two runs of {run.task} are scored by other metrics",
                where=f"{first.folder} and {run.folder}",
                found=" and ".join(names),
                expected="one score",
                remedy="give each study an --out of its own, or the tasks two names",
            )
        for language in run.scores:
            mine = [_measured(run, language, metric) for metric in metrics]
            other, theirs = seen.setdefault(language, (run, mine))
            if mine != theirs or run.items[language] != other.items[language]:
                raise XalignError(
                    f"two runs of {run.task} were not tested in the same way on {language}",
                    where=f"{other.folder} and {run.folder}",
                    found=_difference(theirs, mine) or f"{other.items[language]} and {run.items[language]} items",
                    expected="the same data and metrics",
                    remedy="remove the runs on the data that you do not want and make them again",
                )
            tested = runs.setdefault(run.checkpoint, {}).setdefault(run.seed, {})
            if language in tested:  # a copied folder, say: which of them counts is not ours to choose
                raise XalignError(
                    f"two runs of {run.task} are of one checkpoint and seed",
                    where=f"{tested[language].folder} and {run.folder}",
                    found=f"{run.checkpoint}, seed {run.seed}, tested on {language}",
                    expected="one",
                    remedy="move the one that you do not want out of runs/",
                )
            tested[language] = run
    trained = sorted({each for run in group for each in run.train_languages}, key=_english_first)
    languages = tuple(sorted(seen, key=_english_first))
    measured = {language: seen[language][1] for language in languages}
    benchmark = BENCHMARKS[first.benchmark]
    return Setting(first.task, benchmark, first.models, tuple(trained), languages, measured, runs, first.score)


def _measured(run: RunResult, language: str, metric: Metric) -> dict[str, str]:
    """What was measured; whichever version and layer an encoder was tested with, its scores are compared."""
    signature = run.signatures.get(language, {}).get(metric.name)
    if signature is None or metric.name not in run.scores[language]:
        raise XalignError(
            "a result lacks a metric of its benchmark",
            where=run.folder / "result.json",
            found=", ".join(run.scores[language]),
            expected=f"{metric.name} with its signature, of {language}",
            remedy="remove the run's folder and make the run again",
        )
    return {key: value for key, value in parse_signature(signature).items() if key not in ("version", "layer")}


def _difference(first: Iterable[dict[str, str]], second: Iterable[dict[str, str]]) -> str:
    """The parts of signatures that differ."""
    parts = [
        f"{key}:{a.get(key)} and {key}:{b.get(key)}"
        for a, b in zip(first, second, strict=True)
        for key in sorted(a.keys() | b.keys())
        if a.get(key) != b.get(key)
    ]
    return "; ".join(dict.fromkeys(parts))


def _english_first(language: str) -> tuple[bool, str]:
    return not is_english(language), language


def _missing(runs: Sequence[RunResult], folders: Sequence[Path], checkpoints: Sequence[str]) -> list[str]:
    """Runs and test languages that one checkpoint has and another lacks, and runs that were begun and have no end."""
    tested = {run.folder.parts[-4:]: set(run.items) for run in runs}
    languages: dict[tuple[str, ...], set[str]] = {}
    for (_, *cell), found in tested.items():
        languages.setdefault(tuple(cell), set()).update(found)
    unfinished = {folder.parts[-4:] for folder in folders} - tested.keys()
    missing = [f"{'/'.join(name)}: not finished" for name in unfinished]
    for place, expected in languages.items():
        for checkpoint in checkpoints:
            name = (checkpoint, *place)
            if name in tested:
                missing += [f"{'/'.join(name)}: not tested on {language}" for language in expected - tested[name]]
            elif name not in unfinished:
                missing.append(f"{'/'.join(name)}: no run")
    return sorted(missing)
