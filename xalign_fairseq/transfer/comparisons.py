"""Tests of checkpoints against a baseline: on the zero-shot average, in English, and in each language."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from xalign_fairseq.evaluation.metric import Metric
from xalign_fairseq.evaluation.statistics import Comparison, Resampled, holm, resample
from xalign_fairseq.transfer.results import RunResult
from xalign_fairseq.transfer.task_results import StudyResults, TaskResults, is_english

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
    """Comparisons with the baseline, corrected over a checkpoint's tasks, its English tests, a task's languages."""

    averages: list[Difference]
    english: list[Difference]
    languages: list[Difference]


def compare(results: StudyResults, baseline: str, *, samples: int = 1000, seed: int = 1) -> Differences:
    """Test each checkpoint against the baseline in every task with complete runs of both."""
    drawn = [_Drawn.of(task, samples, seed) for task in results.tasks]
    found = Differences([], [], [])
    for checkpoint in results.checkpoints:
        if checkpoint == baseline:
            continue
        averages, english = [], []
        for task, runs in zip(results.tasks, drawn, strict=True):
            tests = runs.tests(baseline, checkpoint)
            if tests is None:
                continue
            finding = _finder(task, checkpoint, tests)
            over = "zero-shot" if task.zero_shot else "all languages"
            averages.append(finding(over, task.averaged))
            if task.models == "one":
                english += [finding(language, [language]) for language in task.languages if is_english(language)]
            found.languages.extend(_correct(finding(each, [each]) for each in task.languages))
        found.averages.extend(_correct(averages))
        found.english.extend(_correct(english))
    return found


@dataclass(frozen=True)
class _Drawn:
    """The complete runs of a task on the same resamples of items: each checkpoint's seeds and their scores."""

    seed: int
    checkpoints: dict[str, tuple[list[int], Resampled]]

    @classmethod
    def of(cls, task: TaskResults, samples: int, seed: int) -> "_Drawn":
        complete = {name: task.complete(name) for name in task.runs}
        seeds = {name: list(runs) for name, runs in complete.items() if runs}
        counts = [_counts(task, complete[name].values()) for name in seeds]
        value = mean_value(task.score_metrics)
        drawn = resample(counts, value, samples=samples, seed=seed) if counts else []
        return cls(seed, dict(zip(seeds, zip(seeds.values(), drawn, strict=True), strict=True)))

    def tests(self, baseline: str, checkpoint: str) -> tuple[Comparison, Comparison | None] | None:
        """Comparisons over items, and over items and seeds, of all the task's languages; ``None`` without runs."""
        if not {baseline, checkpoint} <= self.checkpoints.keys():
            return None
        every = [self.checkpoints[each] for each in (baseline, checkpoint)]
        # A seed's runs share their head and their order of examples, so an additional lucky seed makes no checkpoint
        # better.
        common = set(every[0][0]) & set(every[1][0])
        chosen = [[place for place, seed in enumerate(seeds) if not common or seed in common] for seeds, _ in every]
        first, second = (drawn.runs(mine) for (_, drawn), mine in zip(every, chosen, strict=True))
        items = Comparison.of_items(first, second)
        if min(map(len, chosen)) < 2:
            return items, None
        return items, Comparison.of_items_and_seeds(first, second, seed=self.seed)


def _counts(task: TaskResults, complete: Iterable[dict[str, RunResult]]) -> list[np.ndarray]:
    """Per language the counts (seeds, items, K) of runs."""
    runs, metrics = list(complete), task.score_metrics
    return [np.stack([run[language].counts(language, metrics) for run in runs]) for language in task.languages]


def mean_value(metrics: Sequence[Metric]) -> Callable[[np.ndarray], np.ndarray]:
    """The mean of several metrics as a function of their concatenated summed counts (..., K)."""
    ends = np.cumsum([len(metric.columns) for metric in metrics])[:-1]

    def value(totals: np.ndarray) -> np.ndarray:
        parts = np.split(totals, ends, axis=-1)
        return np.mean([metric.value(part) for metric, part in zip(metrics, parts, strict=True)], axis=0)

    return value


def _finder(
    task: TaskResults, checkpoint: str, tests: tuple[Comparison, Comparison | None]
) -> Callable[[str, Sequence[str]], Difference]:
    """A function from a name and its languages to their :class:`Difference`."""

    def finding(over: str, languages: Sequence[str]) -> Difference:
        sets = [task.languages.index(language) for language in languages]
        items, *seeds = [each.test(sets) for each in tests if each is not None]
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

    return finding


def _correct(findings: Iterable[Difference]) -> list[Difference]:
    """The findings with Holm-corrected p-values."""
    findings = list(findings)
    adjusted = holm([finding.p_holm for finding in findings])
    return [dataclasses.replace(finding, p_holm=p_value) for finding, p_value in zip(findings, adjusted, strict=True)]
