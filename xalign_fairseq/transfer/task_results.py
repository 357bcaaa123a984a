"""The finished runs of a study, grouped by task, after a check that they can be compared."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.evaluation.metric import Metric
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, Benchmark
from xalign_fairseq.transfer.results import EACH, RunResult, both, differing

OF_LANGUAGES = ("valid_languages", "digests", "train_examples", "updates", "warmup_updates")
OF_ENCODER = ("checkpoint_digest", "encoder")


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
        """The task in words, such as ``pos, trained on en``."""
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

    def trained_otherwise(self, checkpoints: Sequence[str]) -> list[str]:
        """The differences, except the encoder, of checkpoints that were fine-tuned otherwise than the first one."""
        firsts: dict[tuple[str, ...], RunResult] = {}
        found: dict[str, str] = {}
        for checkpoint in checkpoints:
            tested = self.runs.get(checkpoint, {}).values()
            for run in (run for languages in tested for run in languages.values() if run.made_by is not None):
                first = firsts.setdefault(run.train_languages, run)
                keys = differing(first, run, but=OF_ENCODER)
                if keys and first.checkpoint != checkpoint:
                    found.setdefault(checkpoint, f"{checkpoint} and {first.checkpoint}: {both(keys, run, first)}")
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


def read_results(out: str | os.PathLike) -> StudyResults:
    """Read and check all runs below ``OUT/runs``."""
    top = Path(out) / "runs"
    files = (path for name in ("spec", "result") for path in sorted(top.glob(f"*/*/*/*/{name}.json")))
    folders = list(dict.fromkeys(path.parent for path in files))
    runs = [RunResult.read(folder) for folder in folders if (folder / "result.json").is_file()]
    if not runs:
        raise XalignError(
            "there is no finished run",
            where=top,
            found=f"{len(folders)} unfinished runs",
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
    """Require that a checkpoint's runs differ only in seed, or in the language of each model: means are over these."""
    firsts: dict[tuple[str, ...], RunResult] = {}
    for run in runs:
        if run.made_by is None:
            continue
        task, languages = (run.checkpoint, run.task, run.training), "+".join(run.train_languages)
        for first in (firsts.setdefault(task, run), firsts.setdefault((*task, languages), run)):
            same = first.train_languages == run.train_languages
            if keys := differing(first, run, but=() if same else OF_LANGUAGES):
                problem = "two runs of a checkpoint on a task differ in more than seed and languages"
                raise _clash(problem, first, run, both(keys, first, run))


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
