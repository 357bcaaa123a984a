"""The report of a study: means and deviations, averages, gaps between languages, differences from a baseline."""

import logging
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.version import __version__
from xalign_fairseq.evaluation.metric import Metric
from xalign_fairseq.evaluation.signature import shared_signature
from xalign_fairseq.evaluation.statistics import Summary, summarise
from xalign_fairseq.transfer.comparisons import Differences, compare
from xalign_fairseq.transfer.results import (
    EACH,
    Setting,
    StudyResults,
    is_english,
    read_results,
    trained_otherwise,
)

logger = logging.getLogger(__name__)
SCORE = "score"


@dataclass(frozen=True)
class Row:
    """A checkpoint's scores by one metric, fractions; ``None`` where no run, or for averages no complete one, is.

    Attributes:
        languages: language -> scores over seeds.
        average: over all languages.
        zero_shot: over zero-shot languages.
    """

    checkpoint: str
    languages: dict[str, Summary | None]
    average: Summary | None
    zero_shot: Summary | None


@dataclass(frozen=True)
class TaskReport:
    """One setting of the study.

    Attributes:
        title: such as ``pos, trained on en``.
        metrics: by name; the first one comes first in tables.
        rows: metric, or ``score`` for the mean of those in ``scored_by`` -> a row per checkpoint.
        scored_by: the metrics that make the task's score.
        signatures: language -> metric -> of all runs; layers and versions that differ are with their checkpoints.
    """

    title: str
    task: str
    benchmark: str
    family: str
    models: str
    train_languages: tuple[str, ...]
    languages: tuple[str, ...]
    zero_shot: tuple[str, ...]
    metrics: tuple[str, ...]
    scored_by: tuple[str, ...]
    rows: dict[str, list[Row]]
    signatures: dict[str, dict[str, str]]


@dataclass(frozen=True)
class EnglishGap:
    """English minus the other languages, one by one and on average, of models for all languages; over seeds."""

    task: str
    checkpoint: str
    average: Summary
    languages: dict[str, Summary]


@dataclass(frozen=True)
class SupervisedGap:
    """A model trained on the language minus one that was not, on the same test data; over the seeds of both."""

    task: str
    checkpoint: str
    language: str
    supervised: Summary
    zero_shot: Summary
    gap: Summary


@dataclass(frozen=True)
class StudyReport:
    """All that tables and plots show.

    Attributes:
        overall: checkpoint -> average score over the tasks with one model for all languages; ``None`` if one is
            missing.
        bootstrap: resamples and seed of the tests.
        findings: tests against ``baseline``, if there is one.
        missing, unlabelled: runs without a result, test files without labels.
    """

    version: str
    checkpoints: tuple[str, ...]
    tasks: list[TaskReport]
    overall: dict[str, Summary | None]
    english_gaps: list[EnglishGap]
    supervised_gaps: list[SupervisedGap]
    baseline: str | None
    bootstrap: dict[str, int]
    findings: Differences | None
    missing: tuple[str, ...]
    unlabelled: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"format": 1, **asdict(self)}


def make_report(
    out: str | os.PathLike, baseline: str | None = None, *, samples: int = 1000, seed: int = 1
) -> StudyReport:
    """Read the finished runs below ``OUT/runs`` and compute all figures.

    Checkpoints that were fine-tuned with other settings, or on other training data, than the first one are told.

    Args:
        out: folder of ``xalign transfer``.
        baseline: checkpoint that the others are compared with, if any; it comes first.
        samples, seed: of the bootstrap.

    Raises:
        XalignError: runs that can't be read or compared, or no such baseline.

    Example::

        make_report("transfer", baseline="none").overall["tlm"].mean
    """
    results = read_results(out)
    if baseline is not None and baseline not in results.checkpoints:
        raise XalignError(
            "the baseline has no finished run",
            parameter="baseline",
            found=baseline,
            expected=", ".join(results.checkpoints),
        )
    checkpoints = tuple(sorted(results.checkpoints, key=lambda name: (name != baseline, name)))
    for setting in results.settings:
        for told in trained_otherwise(setting, checkpoints):
            logger.warning("%s: these stand side by side and were fine-tuned differently: %s", setting.title, told)
    return StudyReport(
        version=__version__,
        checkpoints=checkpoints,
        tasks=[_task(setting, checkpoints) for setting in results.settings],
        overall=_overall(results, checkpoints),
        english_gaps=_english_gaps(results, checkpoints),
        supervised_gaps=_supervised_gaps(results, checkpoints),
        baseline=baseline,
        bootstrap={"samples": samples, "seed": seed},
        findings=None if baseline is None else compare(results, baseline, samples=samples, seed=seed),
        missing=results.missing,
        unlabelled=results.unlabelled,
    )


def _task(setting: Setting, checkpoints: Sequence[str]) -> TaskReport:
    chosen = {metric.name: (metric,) for metric in setting.benchmark.metrics} | {SCORE: setting.score_metrics}
    tested = [checkpoint for checkpoint in checkpoints if checkpoint in setting.runs]
    return TaskReport(
        title=setting.title,
        task=setting.task,
        benchmark=setting.benchmark.name,
        family=setting.benchmark.family,
        models=setting.models,
        train_languages=setting.train_languages,
        languages=setting.languages,
        zero_shot=setting.zero_shot,
        metrics=tuple(metric.name for metric in setting.benchmark.metrics),
        scored_by=tuple(metric.name for metric in setting.score_metrics),
        rows={name: [_row(setting, each, metrics) for each in tested] for name, metrics in chosen.items()},
        signatures={language: _signatures(setting, language, tested) for language in setting.languages},
    )


def _signatures(setting: Setting, language: str, checkpoints: Sequence[str]) -> dict[str, str]:
    """Of a language's scores by each metric."""
    seeds = [tested for each in checkpoints for tested in setting.runs[each].values() if language in tested]
    runs = [tested[language] for tested in seeds]
    return {
        metric.name: shared_signature([(run.checkpoint, run.signatures[language][metric.name]) for run in runs])
        for metric in setting.benchmark.metrics
    }


def _row(setting: Setting, checkpoint: str, metrics: Sequence[Metric]) -> Row:
    zero_shot = setting.averages(checkpoint, setting.zero_shot, metrics) if setting.zero_shot else {}
    return Row(
        checkpoint,
        {each: _over_seeds(setting.scores(checkpoint, each, metrics)) for each in setting.languages},
        _over_seeds(setting.averages(checkpoint, setting.languages, metrics)),
        _over_seeds(zero_shot),
    )


def _over_seeds(scores: dict[int, float]) -> Summary | None:
    return summarise(list(scores.values())) if scores else None


def _minus(first: dict[int, float], second: dict[int, float]) -> dict[int, float]:
    """The differences of the seeds that both have."""
    return {seed: first[seed] - second[seed] for seed in first if seed in second}


def _overall(results: StudyResults, checkpoints: Sequence[str]) -> dict[str, Summary | None]:
    """Mean of the tasks' average scores, each task with equal weight, as XTREME.

    It has a deviation if all tasks have the same seeds; one without training is the same with every seed.
    """
    settings = [setting for setting in results.settings if setting.models != EACH]
    found: dict[str, Summary | None] = {}
    for checkpoint in checkpoints:
        tasks = [setting.averages(checkpoint, setting.languages, setting.score_metrics) for setting in settings]
        if not tasks or not all(tasks):
            found[checkpoint] = None
            continue
        seeds = [task.keys() for setting, task in zip(settings, tasks, strict=True) if setting.train_languages]
        means = [summarise(list(task.values())).mean for task in tasks]
        if seeds and all(each == seeds[0] for each in seeds):
            found[checkpoint] = summarise(
                [_mean([task.get(seed, mean) for task, mean in zip(tasks, means, strict=True)]) for seed in seeds[0]]
            )
        else:
            found[checkpoint] = Summary(_mean(means), None, min(map(len, tasks)))
    return found


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


def _english_gaps(results: StudyResults, checkpoints: Sequence[str]) -> list[EnglishGap]:
    gaps = []
    for setting in results.settings:
        metrics = setting.score_metrics
        english = [language for language in setting.languages if is_english(language)]
        others = [language for language in setting.languages if not is_english(language)]
        if setting.models == EACH or not english or not others:
            continue
        for checkpoint in checkpoints:
            source = setting.averages(checkpoint, english, metrics)
            average = _over_seeds(_minus(source, setting.averages(checkpoint, others, metrics)))
            single = {each: _over_seeds(_minus(source, setting.scores(checkpoint, each, metrics))) for each in others}
            if average is not None:
                known = {language: gap for language, gap in single.items() if gap is not None}
                gaps.append(EnglishGap(setting.title, checkpoint, average, known))
    return gaps


def _supervised_gaps(results: StudyResults, checkpoints: Sequence[str]) -> list[SupervisedGap]:
    pairs = [
        (each, one, language)
        for one in results.settings
        for each in results.settings
        if each.models == EACH != one.models and each.benchmark == one.benchmark
        for language in one.zero_shot
        if language in each.languages and one.measured[language] == each.measured[language]
    ]
    gaps = []
    for each, one, language in pairs:
        for checkpoint in checkpoints:
            own = each.scores(checkpoint, language, one.score_metrics)
            other = one.scores(checkpoint, language, one.score_metrics)
            if seeds := [seed for seed in own if seed in other]:
                three = [[scores[seed] for seed in seeds] for scores in (own, other, _minus(own, other))]
                gaps.append(SupervisedGap(one.title, checkpoint, language, *map(summarise, three)))
    return gaps
