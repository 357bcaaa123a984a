"""A study, from YAML or XTREME's: tasks, their files and settings."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError, check_values
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.transfer import families  # noqa: F401  (importing registers)
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, SPLITS, Benchmark
from xalign_fairseq.transfer.family import TASK_FAMILIES, Limits
from xalign_fairseq.transfer.results import EACH
from xalign_fairseq.transfer.settings import Settings, read_settings
from xalign_fairseq.transfer.structured import check_names, errors_at, load_with_base, structured

SEEDS = (12, 156, 78, 37, 8)  # the seeds of Wu & Dredze (2020)
MODELS = ("one", EACH)
# The languages of benchmarks with few languages; files of other languages do not exist.
COVERED = {
    "xnli": {"ar", "bg", "de", "el", "en", "es", "fr", "hi", "ru", "sw", "th", "tr", "ur", "vi", "zh"},
    "pawsx": {"de", "en", "es", "fr", "ja", "ko", "zh"},
    "xquad": {"ar", "de", "el", "en", "es", "hi", "ro", "ru", "th", "tr", "vi", "zh"},
    "mlqa": {"ar", "de", "en", "es", "hi", "vi", "zh"},
    "tydiqa": {"ar", "bn", "en", "fi", "id", "ko", "ru", "sw", "te"},
}
# The tasks without a study: XTREME's, with its POS score. TyDiQA is tested on its authors' dev set, so it has no dev
# set.
XTREME: dict[str, dict[str, Any]] = {
    "xnli": {},
    "pawsx": {},
    "pos": {"score": ["f1"]},
    "ner": {},
    "xquad": {},
    "mlqa": {},
    "tydiqa": {"test_split": "dev", "holdout": 0.1},
    "tatoeba": {},
    "parsing": {},  # not in XTREME; only on request, because it needs treebanks, which XTREME's scripts do not keep
}
RETRIEVAL = "retrieval"
RETRIEVAL_OPTIONS = {"layer": None}
# Keys that are unused if nothing is trained.
TRAINING_KEYS = (
    *("train", "valid", "train_languages", "valid_languages"),
    *("holdout", "models", "code_switch"),
)


@dataclass(frozen=True)
class Task:
    """One task of a study.

    Attributes:
        models: ``one`` for all training languages, or one for ``each``, tested on its own language.
        files: part (``train``, ``valid``, ``test``) -> language -> path, relative to ``folder``, of files that the
            study names. The benchmark's patterns find the others.
        splits: part -> the benchmark's split.
        holdout: the share of training examples for model selection, instead of validation files.
        code_switch: mix English with the other training language in each pair (Pan et al. 2021).
        score: the metrics whose mean is the task's score, the first of which chooses the model; empty for the
            benchmark's own (:meth:`~xalign_fairseq.transfer.benchmarks.Benchmark.score`).
    """

    name: str
    benchmark: Benchmark
    folder: Path
    models: str = "one"
    train_languages: tuple[str, ...] = ("en",)
    valid_languages: tuple[str, ...] = ("en",)
    languages: tuple[str, ...] = ()
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    splits: Mapping[str, str] = field(default_factory=lambda: SPLITS)
    holdout: float | None = None
    code_switch: bool = False
    score: tuple[str, ...] = ()
    settings: Settings = field(default_factory=Settings)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def trains(self) -> bool:
        """Whether the task has training (retrieval has none)."""
        return self.benchmark.family != RETRIEVAL


@dataclass(frozen=True)
class Study:
    """Tasks and the seeds of their runs."""

    tasks: tuple[Task, ...]
    seeds: tuple[int, ...] = SEEDS


@dataclass
class StudyKeys:
    """The keys of a study in YAML; ``base`` is read earlier (:func:`load_with_base`)."""

    data: str | None = None
    seeds: list[int] = field(default_factory=lambda: list(SEEDS))
    defaults: dict[str, Any] = field(default_factory=dict)
    tasks: dict[str, Any] = field(default_factory=dict)


@dataclass
class TaskKeys:
    """The keys of a task in YAML; languages have any type, because YAML 1.1 reads Norwegian (no) as False."""

    benchmark: str | None = None
    data: str = ""
    train: dict[Any, str] = field(default_factory=dict)
    valid: dict[Any, str] = field(default_factory=dict)
    test: dict[Any, str] = field(default_factory=dict)
    train_languages: list[Any] | None = None
    valid_languages: list[Any] | None = None
    languages: list[Any] | None = None
    test_split: str = SPLITS["test"]
    holdout: float | None = None
    models: str = MODELS[0]
    code_switch: bool = False
    score: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)


def load_study(path: StrPath, data: StrPath | None = None) -> Study:
    """Read a study; ``data`` replaces its own folder."""
    where = os.fspath(path)
    keys = structured(StudyKeys, load_with_base(path), where)
    if data is None and keys.data is None:
        raise XalignError("the study does not name the data folder", where=where, remedy=("set", Parameter("data")))
    folder = (Path(path).parent / str(keys.data)).resolve() if data is None else Path(data)
    tasks = [_task(name, task, folder, keys.defaults, f"{where}, {name}") for name, task in keys.tasks.items()]
    with errors_at(where):
        return Study(tuple(tasks), check_seeds(keys.seeds))


def xtreme_study(data: StrPath, languages: Sequence[str], tasks: Sequence[str] = ()) -> Study:
    """XTREME's tasks in a folder of their files: train and choose the model in English, test on ``languages``."""
    found = []
    for name, keys in XTREME.items():
        tested = [x for x in languages if _is_covered(name, x)]
        if tested and (name != "parsing" or name in tasks):
            found.append(_task(name, {**keys, "languages": tested}, Path(data), {}, f"task {name}"))
    return Study(tuple(found))


def _is_covered(benchmark: str, language: str) -> bool:
    if benchmark == "mlqa":  # also different languages of context and question, such as en-de
        return set(language.split("-")) <= COVERED["mlqa"]
    return language in COVERED.get(benchmark, {language}) and (benchmark, language) != ("tatoeba", "en")


def select(
    study: Study,
    tasks: Sequence[str] | None = None,
    languages: Sequence[str] | None = None,
    seeds: Sequence[int] | None = None,
) -> Study:
    """The requested part of a study: some tasks, some test languages, other seeds."""
    names = [task.name for task in study.tasks]
    check_names(tasks or (), names, "the study has no such task", parameter="tasks")
    kept = [task for task in study.tasks if tasks is None or task.name in tasks]
    if languages is not None:
        tested = sorted({each for task in kept for each in task.languages})
        check_names(languages, tested, "no task is tested in this language", parameter="languages")
        kept = [_restricted(task, languages) for task in kept if set(task.languages) & set(languages)]
    return Study(tuple(kept), study.seeds if seeds is None else check_seeds(seeds))


def _restricted(task: Task, languages: Sequence[str]) -> Task:
    """The task in some of its test languages; with one model per language, only for these."""
    train = [x for x in task.train_languages if task.models == "one" or x in languages]
    tested = [x for x in task.languages if x in languages]
    return replace(task, train_languages=tuple(train), languages=tuple(tested))


def check_seeds(seeds: Sequence[int]) -> tuple[int, ...]:
    """Check that seeds are different whole numbers, from 0."""
    if not seeds or min(seeds) < 0 or len(set(seeds)) < len(seeds):
        expected = "different whole numbers from 0, such as [12, 156, 78, 37, 8]"
        raise XalignError("the seeds can't be used", parameter="seeds", found=seeds, expected=expected)
    return tuple(seeds)


def check_name(name: str, **place: str) -> str:
    """Check that a name can be a folder name; ``place`` is ``where`` or ``parameter`` of the error."""
    if not name or name.startswith(".") or not all(letter.isalnum() or letter in "._-+" for letter in name):
        expected = "letters, digits, '-', '_', '+' and '.' (not first)"
        raise XalignError("the name cannot be a folder name", found=name, expected=expected, **place)
    return name


def _task(name: str, found: Any, data: Path, defaults: Mapping[str, Any], where: str) -> Task:
    """A checked task from its keys and the study's default settings; ``where`` is for errors."""
    keys = structured(TaskKeys, found, where)
    named = keys.benchmark or name
    check_names([named], sorted(BENCHMARKS), "unknown benchmark", where=f"{where}, benchmark")
    benchmark = BENCHMARKS[named]
    family = RETRIEVAL_OPTIONS if benchmark.family == RETRIEVAL else TASK_FAMILIES[benchmark.family].defaults
    settings, options = read_settings([defaults, keys.settings], family, where)
    with errors_at(where):
        _check_keys(keys, found, benchmark)
        train = _languages(keys, "train_languages") or _languages(keys, "train") or ("en",)
        valid = _languages(keys, "valid_languages") or _languages(keys, "valid")
        tested = _languages(keys, "languages") or _languages(keys, "test") or (train if keys.models == EACH else ())
        task = Task(
            name=check_name(name),
            benchmark=benchmark,
            folder=data / keys.data,
            models=keys.models,
            train_languages=train,
            valid_languages=valid or (("en",) if "en" in train or keys.code_switch else train),
            languages=tested,
            files={part: getattr(keys, part) for part in SPLITS},
            splits={**SPLITS, "test": keys.test_split},
            holdout=keys.holdout,
            code_switch=keys.code_switch,
            score=tuple(metric.name for metric in benchmark.score(keys.score)) if keys.score else (),
            settings=_with_limits(settings, options, benchmark),
            options=options,
        )
        _check_languages(task)
    return task


def _check_keys(keys: TaskKeys, found: Mapping[str, Any], benchmark: Benchmark) -> None:
    """Refuse keys without effect on any run, redundant keys, and impossible values."""
    if benchmark.family == RETRIEVAL:
        unread = [key for key in TRAINING_KEYS if key in found]
        unread += [f"settings: {name}" for name in keys.settings if name not in RETRIEVAL_OPTIONS]
        why = f"{benchmark.name} is tested without training"
    else:
        unread = ["valid_languages"] if keys.models == EACH and keys.valid_languages else []
        why = "a model for each language is chosen on its own language"
    if unread:
        raise XalignError(f"these keys have no effect: {why}", found=", ".join(unread), remedy="leave them out")
    check_values("unknown choice", ("models", keys.models, keys.models in MODELS, " or ".join(MODELS)))
    if keys.languages and keys.test:
        raise XalignError("the test files are given twice", found="test and languages", expected="one")
    if keys.holdout is not None and (keys.valid or keys.valid_languages):
        raise XalignError("the validation data are given twice", found="valid and holdout", expected="one")
    if keys.holdout is not None and not 0 < keys.holdout < 1:
        raise XalignError("the holdout is not a share", found=keys.holdout, expected="a share, such as 0.1")


def _languages(keys: TaskKeys, name: str) -> tuple[str, ...]:
    """The different languages of a list or of a table of files, in order."""
    found = getattr(keys, name)
    for language in found or ():
        if not isinstance(language, str):
            hint = 'write "no" in quotes' if language is False else None
            problem = "this is not a language"
            raise XalignError(problem, parameter=name, found=language, expected="such as en", remedy=hint)
        check_name(language, parameter=name)
    return tuple(dict.fromkeys(found or ()))


def _with_limits(settings: Settings, options: Mapping[str, Any], benchmark: Benchmark) -> Settings:
    """The benchmark's lengths if the study gives none, checked together and with the family's options."""
    length = settings.max_length or benchmark.limits.tokens
    overlap = benchmark.limits.overlap if settings.overlap is None else settings.overlap
    separators = Limits.separators if settings.pair_separators is None else settings.pair_separators
    limits = Limits(length, overlap, separators)
    if benchmark.family != RETRIEVAL:
        family = TASK_FAMILIES[benchmark.family]
        family.check(limits, {**family.defaults, **options})
    return replace(settings, max_length=length, overlap=overlap)


def _check_languages(task: Task) -> None:
    """Check the languages for tests, for code-switching and for one model per language."""
    listed, place = ", ".join(task.train_languages), "train_languages"
    if not task.languages:
        raise XalignError("the task has no test language", expected="languages: [...] or test: {...}")
    if task.code_switch and set(task.train_languages) == {"en"}:
        raise XalignError("code-switching needs another language besides English", parameter=place, found=listed)
    if task.code_switch and task.models == EACH and "en" in task.train_languages:
        remedy = "leave en out; test English in a separate task"
        raise XalignError("English can't be switched with itself", parameter=place, found=listed, remedy=remedy)
    untested = [language for language in task.train_languages if language not in task.languages]
    untrained = [language for language in task.languages if language not in task.train_languages]
    if task.models == EACH and (untested or untrained):
        problem = "a model for each language is tested on its own language"
        found = f"no test of {', '.join(untested)}" if untested else f"no model of {', '.join(untrained)}"
        raise XalignError(problem, parameter="languages", found=found)
