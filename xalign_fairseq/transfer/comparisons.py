"""Tests of checkpoints against a baseline: on the zero-shot average, in English, and in each language."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from xalign_fairseq.evaluation.metric import Metric
from xalign_fairseq.evaluation.statistics import Comparison, holm, resample
from xalign_fairseq.transfer.results import EACH, StudyResults, TaskResults, is_english

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Difference:
    """A checkpoint's score minus the baseline's, a fraction, with the 95 % interval of the deciding test.

    Attributes:
        over: ``zero-shot``, ``all languages`` or a language.
        p_items: p-value of the paired bootstrap over test items.
        p_items_and_seeds: p-value over items and seeds; ``None`` if a checkpoint has one seed.
        p_holm: p-value of the deciding test (the second if possible), after Holm's correction.
    """

    checkpoint: str
    task: str
    over: str
    difference: float
    low: float
    high: float
    p_items: float
    p_items_and_seeds: float | None
    p_holm: float

    @property
    def significant(self) -> bool:
        """Whether the corrected p-value is below 0.05."""
        return self.p_holm < SIGNIFICANT


@dataclass(frozen=True)
class Differences:
    """Comparisons with the baseline, corrected over a checkpoint's tasks, its English tests, or a task's languages."""

    averages: list[Difference]
    english: list[Difference]
    languages: list[Difference]


def compare(results: StudyResults, baseline: str, *, samples: int = 1000, seed: int = 1) -> Differences:
    """Test each checkpoint against the baseline in every task with complete runs of both."""
    compared = [(task, _compared(task, baseline, samples, seed)) for task in results.tasks]
    found = Differences([], [], [])
    for checkpoint in results.checkpoints:
        averages, english = [], []
        for task, each in compared:
            if checkpoint not in each:
                continue
            tests = each[checkpoint]
            over = "zero-shot" if task.zero_shot else "all languages"
            averages.append(_difference(task, checkpoint, tests, over, task.averaged))
            single = [_difference(task, checkpoint, tests, language, [language]) for language in task.languages]
            if task.models != EACH:
                english += [one for one in single if is_english(one.over)]
            found.languages.extend(_correct(single))
        found.averages.extend(_correct(averages))
        found.english.extend(_correct(english))
    return found


def _compared(task: TaskResults, baseline: str, samples: int, seed: int) -> dict[str, list[Comparison]]:
    """Each other checkpoint's comparisons with the baseline, all on the same resamples of items.

    They are over items and, if both checkpoints have several seeds, over items and seeds.
    """
    complete = {name: runs for name in task.runs if (runs := task.complete(name))}
    if baseline not in complete:
        return {}
    metrics = task.score_metrics
    counts = [  # per checkpoint and language (seeds, items, K)
        [np.stack([run[language].counts(language, metrics) for run in runs.values()]) for language in task.languages]
        for runs in complete.values()
    ]
    resampled = resample(counts, mean_value(metrics), samples=samples, seed=seed)
    drawn = dict(zip(complete, resampled, strict=True))
    found = {}
    for name in complete.keys() - {baseline}:
        # Runs with one seed share their initial head and order of examples, so an extra lucky seed makes no checkpoint
        # better.
        common = complete[baseline].keys() & complete[name].keys()
        first, second = (
            drawn[each].runs([place for place, run in enumerate(complete[each]) if not common or run in common])
            for each in (baseline, name)
        )
        found[name] = [Comparison.of_items(first, second)]
        if min(len(each.scores[0]) for each in (first, second)) > 1:
            found[name].append(Comparison.of_items_and_seeds(first, second, seed=seed))
    return found


def mean_value(metrics: Sequence[Metric]) -> Callable[[np.ndarray], np.ndarray]:
    """The mean of several metrics as a function of their concatenated summed counts (..., K)."""
    ends = np.cumsum([len(metric.columns) for metric in metrics])[:-1]

    def value(totals: np.ndarray) -> np.ndarray:
        parts = np.split(totals, ends, axis=-1)
        return np.mean([metric.value(part) for metric, part in zip(metrics, parts, strict=True)], axis=0)

    return value


def _difference(
    task: TaskResults, checkpoint: str, tests: Sequence[Comparison], over: str, languages: Sequence[str]
) -> Difference:
    """The mean difference over languages; the last of the tests decides."""
    sets = [task.languages.index(language) for language in languages]
    items, *seeds = [each.test(sets) for each in tests]
    deciding = seeds[0] if seeds else items
    return Difference(
        checkpoint=checkpoint,
        task=task.title,
        over=over,
        difference=deciding.difference,
        low=deciding.low,
        high=deciding.high,
        p_items=items.p_value,
        p_items_and_seeds=seeds[0].p_value if seeds else None,
        p_holm=deciding.p_value,
    )


def _correct(findings: Iterable[Difference]) -> list[Difference]:
    findings = list(findings)
    adjusted = holm([finding.p_holm for finding in findings])
    return [dataclasses.replace(finding, p_holm=p_value) for finding, p_value in zip(findings, adjusted, strict=True)]
