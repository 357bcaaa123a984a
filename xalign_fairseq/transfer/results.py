"""The results of finished runs: one run's from its folder, and a study's by task, if they can be compared."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from xalign_fairseq.core.array_files import ArrayForm, read_arrays
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.json_files import read_json, require_form
from xalign_fairseq.core.locks import differing_values
from xalign_fairseq.evaluation.metric import Metric
from xalign_fairseq.evaluation.signature import parse_signature
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, Benchmark

FORMAT = 1
COUNTS = ArrayForm(np.number)  # a metric's counts of each item
EACH = "each"
# The parts of ``made_by`` that follow from the languages of a model, and from its encoder.
OF_LANGUAGES = ("valid_languages", "digests", "train_examples", "updates", "warmup_updates")
OF_ENCODER = ("checkpoint_digest", "encoder")


@dataclass(frozen=True)
class RunResult:
    """One checkpoint's scores on one task with one seed.

    Attributes:
        scores, items, signatures: by test language; a test file without labels has only items.
        made_by: what determined the training; None if unknown, as in most results of examples/.
        minutes: time of training and tests.
    """

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
    minutes: float = 0.0
    folder: Path = Path()

    @classmethod
    def read(cls, folder: Path) -> "RunResult":
        """Read ``result.json``; :class:`XalignError` if it is damaged or of another format."""
        path = folder / "result.json"
        found = read_json(path)
        require_form(found, cls, path)
        if found.get("format") != FORMAT:
            problem = "the result has another format"
            raise XalignError(problem, where=path, found=found.get("format"), expected=FORMAT)
        if found["benchmark"] not in BENCHMARKS:
            known = ", ".join(BENCHMARKS)
            raise XalignError("unknown benchmark", where=path, found=found["benchmark"], expected=known)
        values = {each.name: found[each.name] for each in fields(cls) if each.name in found}
        values |= {"folder": folder, "train_languages": tuple(found["train_languages"])}
        if found.get("made_by") is not None:
            values["made_by"] = {"score": [], **found["made_by"]}
        return cls(**values)

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
        form = {f"{language}/{metric.name}": COUNTS for metric in metrics}
        arrays = list(read_arrays(path, form, remedy="remove the run's folder and run it again").values())
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


def differences(first: RunResult, second: RunResult, but: Iterable[str] = ()) -> str:
    """The values of ``made_by`` that differ between two runs, without the keys ``but``; empty if none does."""
    return differing_values(first.made_by or {}, second.made_by or {}, but, " and ")


@dataclass(frozen=True)
class TaskResults:
    """A task's runs by checkpoint, seed and language; ``measured`` are the shared parts of their signatures."""

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
        """The task as text, such as ``pos, trained on en``."""
        if self.models == EACH:
            return f"{self.task}, a model for each language"
        return f"{self.task}, trained on {'+'.join(self.train_languages)}" if self.train_languages else self.task

    @property
    def zero_shot(self) -> tuple[str, ...]:
        """The tested languages outside the training languages of all runs, in any treebank (``en_pud`` is English)."""
        trained = set(map(code, self.train_languages))
        return tuple(language for language in self.languages if code(language) not in trained)

    @property
    def averaged(self) -> tuple[str, ...]:
        """The languages over which checkpoints are compared: the zero-shot languages, or all if there are none."""
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
        """Seed -> mean of the ``metrics``, for seeds that have it."""
        return {
            seed: float(np.mean([tested[language].scores[language][metric.name] for metric in metrics]))
            for seed, tested in self.runs.get(checkpoint, {}).items()
            if language in tested
        }

    def averages(self, checkpoint: str, languages: Sequence[str], metrics: Sequence[Metric]) -> dict[int, float]:
        """Seed -> average over ``languages``, for seeds with all the task's languages."""
        columns = [self.scores(checkpoint, language, metrics) for language in languages]
        return {seed: float(np.mean([column[seed] for column in columns])) for seed in self.complete(checkpoint)}

    def trained_differently(self, checkpoints: Sequence[str]) -> list[str]:
        """The differences, except the encoder, of checkpoints that were fine-tuned differently from the first one."""
        firsts: dict[tuple[str, ...], RunResult] = {}
        found: dict[str, str] = {}
        for checkpoint in checkpoints:
            tested = self.runs.get(checkpoint, {}).values()
            for run in (run for languages in tested for run in languages.values() if run.made_by is not None):
                first = firsts.setdefault(run.train_languages, run)
                text = differences(run, first, but=OF_ENCODER)
                if text and first.checkpoint != checkpoint:
                    found.setdefault(checkpoint, f"{checkpoint} and {first.checkpoint}: {text}")
        return list(found.values())


@dataclass(frozen=True)
class StudyResults:
    """All tasks of an output folder; ``missing`` and ``unlabelled`` list missing runs and test files without labels."""

    tasks: tuple[TaskResults, ...]
    checkpoints: tuple[str, ...]
    missing: tuple[str, ...]
    unlabelled: tuple[str, ...]


def code(language: str) -> str:
    """The language of a treebank: ``en`` for ``en_ewt``."""
    return language.partition("_")[0]


def is_english(language: str) -> bool:
    """Whether a language is English, also as a treebank's name (``en_ewt``)."""
    return code(language) == "en"


def read_results(out: StrPath) -> StudyResults:
    """Read and check all runs below ``OUT/runs``."""
    top = Path(out) / "runs"
    files = (path for name in ("spec", "result") for path in sorted(top.glob(f"*/*/*/*/{name}.json")))
    folders = list(dict.fromkeys(path.parent for path in files))
    runs = [RunResult.read(folder) for folder in folders if (folder / "result.json").is_file()]
    if not runs:
        raise XalignError(
            "there is no finished run",
            where=top,
            found=counted(len(folders), "unfinished run"),
            expected="CHECKPOINT/TASK/LANGUAGES/SEED/result.json",
            remedy=("run", Command("transfer", Parameter("out", out))),
        )
    _require_one_training(runs)
    groups: dict[tuple[str, str], list[RunResult]] = {}
    for run in runs:
        groups.setdefault((run.task, run.training), []).append(run)
    order = list(BENCHMARKS)
    tasks = sorted(
        (_grouped(group) for group in groups.values() if any(run.scores for run in group)),
        key=lambda each: (order.index(each.benchmark.name), each.task, each.models == EACH, each.train_languages),
    )
    checkpoints = tuple(sorted({run.checkpoint for run in runs}))
    unlabelled = sorted({f"{run.task}, {language}" for run in runs for language in run.items.keys() - run.scores})
    return StudyResults(tuple(tasks), checkpoints, tuple(_missing(runs, folders, checkpoints)), tuple(unlabelled))


def _require_one_training(runs: Sequence[RunResult]) -> None:
    """Require that a checkpoint's runs differ only in seed, or in each model's language: means are over these."""
    firsts: dict[tuple[str, ...], RunResult] = {}
    for run in runs:
        if run.made_by is None:
            continue
        task, languages = (run.checkpoint, run.task, run.training), "+".join(run.train_languages)
        for first in (firsts.setdefault(task, run), firsts.setdefault((*task, languages), run)):
            same = first.train_languages == run.train_languages
            if text := differences(first, run, but=() if same else OF_LANGUAGES):
                problem = "two runs of a checkpoint on a task differ in more than seed and languages"
                raise _clash(problem, first, run, text)


def _grouped(group: Sequence[RunResult]) -> TaskResults:
    """Runs of one task and its training languages, after a check that they can be compared."""
    first = group[0]
    seen: dict[str, RunResult] = {}
    runs: dict[str, dict[int, dict[str, RunResult]]] = {}
    for run in group:
        if run.score != first.score:
            scores = (", ".join(each.score) or "the benchmark's own" for each in (first, run))
            raise _clash(f"two runs of {run.task} have different metrics", first, run, " and ".join(scores))
        for language in run.scores:
            other = seen.setdefault(language, run)
            theirs, mine = other.measured(language), run.measured(language)
            items = [each.items[language] for each in (other, run)]
            if mine != theirs or items[0] != items[1]:
                problem = f"two runs of {run.task} were not tested in the same way on {language}"
                raise _clash(problem, other, run, _difference(theirs, mine) or f"{items[0]} and {items[1]} items")
            tested = runs.setdefault(run.checkpoint, {}).setdefault(run.seed, {})
            if language in tested:  # a copied folder, for example
                problem = f"two runs of {run.task} have the same checkpoint and seed"
                raise _clash(problem, tested[language], run, f"{run.checkpoint}, seed {run.seed}, tested on {language}")
            tested[language] = run
    trained = sorted({each for run in group for each in run.train_languages}, key=_english_first)
    languages = tuple(sorted(seen, key=_english_first))
    measured = {language: seen[language].measured(language) for language in languages}
    benchmark = BENCHMARKS[first.benchmark]
    return TaskResults(first.task, benchmark, first.models, tuple(trained), languages, measured, runs, first.score)


def _clash(problem: str, first: RunResult, run: RunResult, found: str) -> XalignError:
    remedy = "move the runs that you do not want out of runs/, or give each study its own folder"
    return XalignError(problem, where=f"{first.folder} and {run.folder}", found=found, remedy=remedy)


def _difference(first: Iterable[dict[str, str]], second: Iterable[dict[str, str]]) -> str:
    """The differing parts of signatures."""
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
    """Runs and test languages that some checkpoints lack, and unfinished runs."""
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
