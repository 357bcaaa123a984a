"""From options to runs; all files and encoders of a study are found, read and checked before the first run."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import groupby
from math import ceil
from pathlib import Path
from typing import Any

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.devices import visible_gpus
from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.core.files import StrPath, file_sha256, nearly, require_no_colon
from xalign_fairseq.data.labelled.labels import check_labels, digest, label_of
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.reading import open_model
from xalign_fairseq.transfer.benchmarks import SPLITS, find, find_all
from xalign_fairseq.transfer.family import require_languages, require_positions
from xalign_fairseq.transfer.run_spec import RunSpec, is_done, shown_command
from xalign_fairseq.transfer.runs import job, tidy
from xalign_fairseq.transfer.scheduler import Finished, run_jobs, share
from xalign_fairseq.transfer.settings import update_counts
from xalign_fairseq.transfer.structured import errors_at
from xalign_fairseq.transfer.study import Study, Task, check_name, load_study, select, xtreme_study

Files = Mapping[str, Mapping[str, Path]]  # part -> language -> path


@dataclass(frozen=True)
class TransferOptions:
    """A plan: models by name, data and options; without ``study`` (a YAML file), XTREME's tasks on ``data``."""

    models: Mapping[str, str]
    out: Path
    study: str | None = None
    data: str | None = None
    tasks: Sequence[str] | None = None
    languages: Sequence[str] | None = None
    seeds: Sequence[int] | None = None
    jobs: int = 1
    precision: str = "fp32"
    cpu: bool = False
    keep_models: bool = False

    def load_study(self) -> Study:
        if self.study:
            return select(load_study(self.study, self.data), self.tasks, self.languages, self.seeds)
        if not self.data or not self.languages:
            missing = tuple(name for name in ("data", "languages") if not getattr(self, name))
            problem = "without a study, the data and the languages must be given"
            raise XalignError(problem, parameter=("study", *missing), found="neither a study nor these")
        if not Path(self.data).is_dir():
            raise XalignError("the folder does not exist", where=self.data, parameter="data", found=nearly(self.data))
        return select(xtreme_study(self.data, self.languages, self.tasks or ()), self.tasks, None, self.seeds)


@dataclass(frozen=True)
class StudyPlan:
    """The checked runs of a study in order; ``done`` has the names of finished runs."""

    options: TransferOptions
    specs: tuple[RunSpec, ...]
    done: frozenset[str]

    def lines(self) -> Iterator[str]:
        """A description of the runs: one line per task, and their number."""
        for task, group in groupby(self.specs, lambda spec: spec.task):
            runs = list(group)
            first = runs[0]
            if first.train_languages:
                chosen = f"{first.holdout:g} held out" if first.holdout is not None else "+".join(first.valid_languages)
                trained = sorted(
                    {f"{'+'.join(x.train_languages)} ({x.train_examples} examples, {x.updates} updates)" for x in runs}
                )
                yield f"{task}: train {', '.join(trained)}; select on {chosen}"
                pairs = [(x, each, spec.digests["train"]) for spec in runs for x, each in spec.digests["valid"].items()]
                if both := sorted({language for language, valid, train in pairs if valid in train.values()}):
                    warning = "the model is selected on its training data; to select on other examples"
                    yield f"  {' '.join(both)}: {warning}, set holdout: 0.1 in the study"
            else:
                yield f"{task}: no training"
            tested = dict.fromkeys(language for spec in runs for language in spec.digests["test"])
            yield f"  {first.benchmark}, test {' '.join(tested)}: {counted(len(runs), 'run')}"
            unlabelled = {x: spec.place["files"]["test"][x] for spec in runs for x in spec.place["unlabelled"]}
            if unlabelled:
                yield f"  without labels, predicted and not scored: {', '.join(unlabelled.values())}"
                yield "  XTREME's scripts remove labels; examples/transfer/0_download.sh fetches files with labels"
        yield f"{counted(len(self.specs), 'run')}, {len(self.done)} of them done"

    def commands(self) -> dict[str, str]:
        """The training command of each run by its name; empty if nothing is trained."""
        return {spec.name: shown_command(spec, spec.folder(self.options.out) / "checkpoints") for spec in self.specs}

    def run(self) -> Iterator[Finished]:
        """Make the remaining runs, and yield each when it ends; leaving early stops the active ones."""
        options = self.options
        for spec in self.specs:
            if spec.name in self.done:
                tidy(spec.folder(options.out), keep_models=True)  # an earlier command may have kept the tested model
        waiting = [spec for spec in self.specs if spec.name not in self.done]
        jobs = [job(spec, options.out, options.keep_models) for spec in waiting]
        return run_jobs(jobs, options.jobs, share(options.jobs, [] if options.cpu else visible_gpus()))


def make_plan(options: TransferOptions) -> StudyPlan:
    """Read the study, the encoders and all data, and check them; nothing is written."""
    check_values("there must be at least one job", ("jobs", options.jobs, options.jobs >= 1, "1 or more"))
    for name in options.models:
        check_name(name, parameter="model")
    study = options.load_study()
    options = replace(options, out=options.out.absolute())
    encoders = [open_checkpoint(name, path) for name, path in options.models.items()]
    specs = build(study, encoders, cpu=options.cpu, precision=options.precision)
    return StudyPlan(options, tuple(specs), frozenset(spec.name for spec in specs if is_done(spec, options.out)))


@dataclass(frozen=True)
class Checkpoint:
    """An encoder to compare: its path, its digest, and ``</s>`` between two texts."""

    name: str
    path: Path
    config: EncoderConfig
    digest: str
    pair_separators: int = 2


def open_checkpoint(name: str, path: StrPath) -> Checkpoint:
    """Read and check a pretrained encoder of any kind (:func:`.open_model`)."""
    model = open_model(path)
    where = model.where.absolute()
    return Checkpoint(name, where, model.encoder.config, _digest(where), model.tokenizer.pair_separators)


def _digest(path: Path) -> str:
    """First 12 hexadecimal digits of the SHA-256 of a file, or of the weights, options and tokenizer of a folder."""
    kinds = {".json", ".safetensors", ".bin", ".model", ".txt"}
    content = hashlib.sha256()
    for each in sorted(each for each in path.iterdir() if each.suffix in kinds) if path.is_dir() else [path]:
        content.update(bytes.fromhex(file_sha256(each)))
    return content.hexdigest()[:12]


def build(study: Study, encoders: Sequence[Checkpoint], *, cpu: bool, precision: str = "fp32") -> list[RunSpec]:
    """Every run of a study, by task, seed and encoder: the first seed can be compared before the next begins."""
    files = find_files(study)
    specs: list[RunSpec] = []
    for task in study.tasks:
        _check_encoders(task, encoders)
        found = files[task.name]
        digests = {part: {language: digest(path) for language, path in each.items()} for part, each in found.items()}
        for model in _models(task):
            paths = {part: {each: str(found[part][each]) for each in languages} for part, languages in model.items()}
            examples, batches, unlabelled = _read(task, paths, encoders)
            updates, warmup = update_counts(task.settings, batches) if task.trains else (0, 0)
            with errors_at(task.name):
                allowed = f"at most {updates}, the updates"
                check_values("the warm-up is longer than the training", ("warmup", warmup, warmup <= updates, allowed))
            specs += [
                RunSpec(
                    checkpoint=encoder.name,
                    checkpoint_digest=encoder.digest,
                    encoder=encoder.config.as_options(),
                    task=task.name,
                    benchmark=task.benchmark.name,
                    family=task.benchmark.family,
                    models=task.models,
                    train_languages=model["train"],
                    valid_languages=model["valid"],
                    seed=seed,
                    holdout=task.holdout,
                    code_switch=task.code_switch,
                    settings=_settings(task, encoder),
                    options=task.options,
                    train_examples=examples,
                    updates=updates,
                    warmup_updates=warmup,
                    precision=precision if task.trains else "fp32",
                    digests={part: {each: digests[part][each] for each in paths[part]} for part in paths},
                    place={
                        "checkpoint": str(encoder.path),
                        "data": str(task.folder.absolute()),
                        "cpu": cpu,
                        "files": paths,
                        "unlabelled": unlabelled,
                    },
                    score=task.score,
                )
                for seed in (study.seeds if task.trains else (0,))
                for encoder in encoders
            ]
    if not specs:
        raise XalignError("the study has no run", expected="tasks, languages, seeds and checkpoints")
    return specs


def _settings(task: Task, encoder: Checkpoint) -> dict[str, Any]:
    if not task.trains:
        return {}
    separators = task.settings.pair_separators or encoder.pair_separators
    return asdict(replace(task.settings, pair_separators=separators))


def _models(task: Task) -> list[dict[str, tuple[str, ...]]]:
    """The languages of each part (``train``, ``valid``, ``test``) of each of the task's models."""
    if not task.trains:
        return [{"train": (), "valid": (), "test": task.languages}]
    english = ("en",) if task.code_switch else ()
    if task.models == "one":
        train = tuple(dict.fromkeys((*english, *task.train_languages)))
        return [{"train": train, "valid": task.valid_languages if task.holdout is None else (), "test": task.languages}]
    return [
        {"train": (*english, each), "valid": (each,) if task.holdout is None else (), "test": (each,)}
        for each in task.train_languages
    ]


def find_files(study: Study) -> dict[str, Files]:
    """The absolute paths of every task."""
    for folder in {task.folder for task in study.tasks if task.trains}:
        require_no_colon(folder)
    wanted = {
        (task.name, part, language): partial(_find, task, part, language)
        for task in study.tasks
        for part in SPLITS
        for model in _models(task)
        for language in model[part]
    }
    found: dict[str, dict[str, dict[str, Path]]] = {task.name: {part: {} for part in SPLITS} for task in study.tasks}
    for (name, part, language), path in find_all(wanted).items():
        found[name][part][language] = path.absolute()
    return dict(found)


def _find(task: Task, part: str, language: str) -> Path:
    named = task.files.get(part, {})
    if not named:
        path = find(task.benchmark, task.folder, task.splits[part], language)
    elif language in named:
        path = task.folder / named[language]
        if not path.is_file():
            raise XalignError("the file does not exist", where=path)
    else:
        raise XalignError("the study names no file of this language", found=", ".join(named), expected=language)
    if "," in str(path.absolute()):
        remedy = "rename it, or create a link to it"
        raise XalignError("fairseq's options can't contain a comma", where=path.absolute(), remedy=remedy)
    return path


def _read(
    task: Task, files: Mapping[str, Mapping[str, str]], encoders: Sequence[Checkpoint]
) -> tuple[int, int, list[str]]:
    """Read and check a model's files: its numbers of training examples and batches, and unlabelled test sets."""
    tests = {language: task.benchmark.read(path, language) for language, path in files["test"].items()}
    groups: list[tuple[Any, ...]] = [(each,) for examples in tests.values() for each in examples]
    examples = batches = 0
    if task.trains:
        with errors_at(task.name):
            training, valid, labels = task.benchmark.read_training(
                files["train"], files["valid"], code_switch=task.code_switch, holdout=task.holdout
            )
        for language, path in files["test"].items():
            check_labels(labels, tests[language], path)
        examples = sum(map(len, training))
        # Both mixtures of an example belong in one batch.
        batches = ceil(len(training) / max(1, task.settings.batch_size // len(training[0])))
        groups += training + valid
    for encoder in encoders:
        require_languages(encoder.config, (each for group in groups for each in group))
    return examples, batches, [language for language, each in tests.items() if label_of(each[0]) is None]


def _check_encoders(task: Task, encoders: Sequence[Checkpoint]) -> None:
    """Refuse windows and layers that an encoder does not have."""
    layers = {"layer": task.options.get("layer"), "freeze_layers": task.settings.freeze_layers}
    for encoder in encoders:
        with errors_at(f"{encoder.name}, {task.name}"):
            for name, layer in layers.items():
                if layer is not None:
                    encoder.config.resolve_layer(layer, name)
            if task.trains:
                require_positions(encoder.config, task.settings.max_length or 0)
