"""The report of a study: means and deviations, averages, gaps between languages, differences from a baseline."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.version import __version__
from xalign_fairseq.evaluation.metric import Metric
from xalign_fairseq.evaluation.published import ALL_TASKS, Figure, Sizes, scored_task
from xalign_fairseq.evaluation.signature import shared_signature
from xalign_fairseq.evaluation.statistics import Summary, summarise
from xalign_fairseq.links.bootstrap import check_options
from xalign_fairseq.transfer.comparisons import Differences, compare
from xalign_fairseq.transfer.results import EACH, StudyResults, TaskResults, is_english, read_results

logger = logging.getLogger(__name__)
SCORE = "score"


@dataclass(frozen=True)
class Row:
    """A checkpoint's scores by one metric, fractions; ``None`` without a run (for averages, without a complete run)."""

    checkpoint: str
    languages: dict[str, Summary | None]
    average: Summary | None
    zero_shot: Summary | None


@dataclass(frozen=True)
class TaskReport:
    """A setting, such as ``pos, trained on en``: rows by metric, and signatures by language and metric."""

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
    """The score in English minus each other language's and their average, of models for all languages; over seeds."""

    task: str
    checkpoint: str
    average: Summary
    languages: dict[str, Summary]


@dataclass(frozen=True)
class SupervisedGap:
    """The score of a model trained on the language minus a zero-shot model's, over the seeds of both."""

    task: str
    checkpoint: str
    language: str
    supervised: Summary
    zero_shot: Summary
    gap: Summary


@dataclass(frozen=True)
class StudyReport:
    """The data of tables and plots; ``overall`` are average scores over complete tasks with one model."""

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


def make_report(out: StrPath, baseline: str | None = None, *, samples: int = 1000, seed: int = 1) -> StudyReport:
    """Read the finished runs below ``OUT/runs`` and compute all figures; ``baseline`` comes first."""
    check_options(samples, seed=seed)
    results = read_results(out)
    if baseline is not None and baseline not in results.checkpoints:
        known = ", ".join(results.checkpoints)
        raise XalignError("the baseline has no finished run", parameter="baseline", found=baseline, expected=known)
    checkpoints = tuple(sorted(results.checkpoints, key=lambda name: (name != baseline, name)))
    for task in results.tasks:
        for difference in task.trained_differently(checkpoints):
            logger.warning("%s: these checkpoints were fine-tuned differently: %s", task.title, difference)
    return StudyReport(
        version=__version__,
        checkpoints=checkpoints,
        tasks=[_task(task, checkpoints) for task in results.tasks],
        overall=_overall(results, checkpoints),
        english_gaps=_english_gaps(results, checkpoints),
        supervised_gaps=_supervised_gaps(results, checkpoints),
        baseline=baseline,
        bootstrap={"samples": samples, "seed": seed},
        findings=None if baseline is None else compare(results, baseline, samples=samples, seed=seed),
        missing=results.missing,
        unlabelled=results.unlabelled,
    )


def figures_of(report: StudyReport) -> list[Figure]:
    """The report's scores as in a paper's tables: by task and metric, language, ``average`` and ``zero-shot``."""
    found = []
    for task in report.tasks:
        covers = {"average": dict.fromkeys(task.languages), "zero-shot": dict.fromkeys(task.zero_shot)}
        for metric in task.metrics:
            for row in task.rows[metric]:
                cells = {**row.languages, "average": row.average, "zero-shot": row.zero_shot}
                found += [
                    _figure(row.checkpoint, column, f"{task.task} {metric}", summary, covers.get(column, {}))
                    for column, summary in cells.items()
                    if summary is not None
                ]
    tasks = dict.fromkeys(scored_task(x.task, x.scored_by, x.languages) for x in report.tasks if x.models != EACH)
    overall = {name: summary for name, summary in report.overall.items() if summary is not None}
    return found + [_figure(name, ALL_TASKS, "average score", summary, tasks) for name, summary in overall.items()]


def _figure(row: str, column: str, metric: str, summary: Summary, covers: Sizes) -> Figure:
    deviation = None if summary.deviation is None else 100 * summary.deviation
    return Figure("", row, column, metric, 100 * summary.mean, deviation, covers)


def _task(task: TaskResults, checkpoints: Sequence[str]) -> TaskReport:
    benchmark = task.benchmark
    ordered = dict.fromkeys((*task.score_metrics, *benchmark.metrics))  # the study's score first
    chosen = {metric.name: (metric,) for metric in ordered} | {SCORE: task.score_metrics}
    tested = [checkpoint for checkpoint in checkpoints if checkpoint in task.runs]
    return TaskReport(
        title=task.title,
        task=task.task,
        benchmark=benchmark.name,
        family=benchmark.family,
        models=task.models,
        train_languages=task.train_languages,
        languages=task.languages,
        zero_shot=task.zero_shot,
        metrics=tuple(metric.name for metric in ordered),
        scored_by=tuple(metric.name for metric in task.score_metrics),
        rows={name: [_row(task, each, metrics) for each in tested] for name, metrics in chosen.items()},
        signatures={language: _signatures(task, language, tested) for language in task.languages},
    )


def _signatures(task: TaskResults, language: str, checkpoints: Sequence[str]) -> dict[str, str]:
    """A language's signature of each metric, shared by the checkpoints."""
    seeds = [tested for each in checkpoints for tested in task.runs[each].values() if language in tested]
    runs = [tested[language] for tested in seeds]
    return {
        metric.name: shared_signature([(run.checkpoint, run.signatures[language][metric.name]) for run in runs])
        for metric in task.benchmark.metrics
    }


def _row(task: TaskResults, checkpoint: str, metrics: Sequence[Metric]) -> Row:
    return Row(
        checkpoint,
        {each: _over_seeds(task.scores(checkpoint, each, metrics)) for each in task.languages},
        _over_seeds(task.averages(checkpoint, task.languages, metrics)),
        _over_seeds(task.averages(checkpoint, task.zero_shot, metrics) if task.zero_shot else {}),
    )


def _over_seeds(scores: dict[int, float]) -> Summary | None:
    return summarise(list(scores.values())) if scores else None


def _minus(first: dict[int, float], second: dict[int, float]) -> dict[int, float]:
    """The differences for common seeds."""
    return {seed: first[seed] - second[seed] for seed in first if seed in second}


def _overall(results: StudyResults, checkpoints: Sequence[str]) -> dict[str, Summary | None]:
    """Mean of the tasks' average scores, each task with equal weight, as in XTREME."""
    tasks = [task for task in results.tasks if task.models != EACH]
    found: dict[str, Summary | None] = {}
    for checkpoint in checkpoints:
        averages = [task.averages(checkpoint, task.languages, task.score_metrics) for task in tasks]
        if not averages or not all(averages):
            found[checkpoint] = None
            continue
        seeds = [average.keys() for task, average in zip(tasks, averages, strict=True) if task.train_languages]
        means = [summarise(list(average.values())).mean for average in averages]
        if seeds and all(each == seeds[0] for each in seeds):
            pairs = list(zip(averages, means, strict=True))
            found[checkpoint] = summarise([_mean([each.get(seed, mean) for each, mean in pairs]) for seed in seeds[0]])
        else:
            found[checkpoint] = Summary(_mean(means), None, min(map(len, averages)))
    return found


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


def _english_gaps(results: StudyResults, checkpoints: Sequence[str]) -> list[EnglishGap]:
    gaps = []
    for task in results.tasks:
        metrics = task.score_metrics
        english = [language for language in task.languages if is_english(language)]
        others = [language for language in task.languages if not is_english(language)]
        if task.models == EACH or not english or not others:
            continue
        for checkpoint in checkpoints:
            source = task.averages(checkpoint, english, metrics)
            average = _over_seeds(_minus(source, task.averages(checkpoint, others, metrics)))
            single = {each: _over_seeds(_minus(source, task.scores(checkpoint, each, metrics))) for each in others}
            if average is not None:
                known = {language: gap for language, gap in single.items() if gap is not None}
                gaps.append(EnglishGap(task.title, checkpoint, average, known))
    return gaps


def _supervised_gaps(results: StudyResults, checkpoints: Sequence[str]) -> list[SupervisedGap]:
    pairs = [
        (each, one, language)
        for one in results.tasks
        for each in results.tasks
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
