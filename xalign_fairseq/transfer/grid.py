"""Every run of a study; all files are found, read and checked before the first run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.groups import grouped, held_out
from xalign_fairseq.data.labelled.labels import check_labels, digest, label_of
from xalign_fairseq.transfer.benchmarks import find, find_all
from xalign_fairseq.transfer.checkpoints import Checkpoint
from xalign_fairseq.transfer.family import FAMILIES, require_languages
from xalign_fairseq.transfer.run_spec import RunSpec
from xalign_fairseq.transfer.settings import as_data, update_counts
from xalign_fairseq.transfer.structured import errors_at
from xalign_fairseq.transfer.study import Study, Task

Files = dict[str, dict[str, Path]]  # part -> language -> path


@dataclass(frozen=True)
class Training:
    """One model of a task: its languages, numbers of training examples and batches, and unlabelled test sets."""

    train_languages: tuple[str, ...]
    valid_languages: tuple[str, ...]
    languages: tuple[str, ...]
    examples: int = 0
    batches: int = 0
    unlabelled: tuple[str, ...] = ()

    def of_parts(self, found: Mapping[str, Mapping[str, object]], show: Callable[[Any], str] = str) -> dict[str, Any]:
        """The entries for this training's languages, from values by part and language."""
        wanted = {"train": self.train_languages, "valid": self.valid_languages, "test": self.languages}
        return {part: {each: show(found[part][each]) for each in languages} for part, languages in wanted.items()}


def build(study: Study, checkpoints: Sequence[Checkpoint], *, cpu: bool, precision: str = "fp32") -> list[RunSpec]:
    """Every run of a study, by task, seed and checkpoint: the first seed can be compared before the next begins."""
    files = find_files(study)
    specs: list[RunSpec] = []
    for task in study.tasks:
        _check_encoders(task, checkpoints)
        trainings = list(_trainings(task, files[task.name], checkpoints))
        digests = {
            part: {language: digest(path) for language, path in each.items()} for part, each in files[task.name].items()
        }
        for training in trainings:
            for seed in study.seeds if task.trains else (0,):
                for encoder in checkpoints:
                    spec = _spec(task, training, encoder, seed)
                    found = {"files": training.of_parts(files[task.name]), "unlabelled": list(training.unlabelled)}
                    place = {**spec.place, "cpu": cpu, **found}
                    specs.append(
                        replace(
                            spec,
                            place=place,
                            digests=training.of_parts(digests),
                            precision=precision if task.trains else "fp32",
                        )
                    )
    if not specs:
        raise XalignError("the study has no run", expected="tasks, languages, seeds and checkpoints")
    return specs


def _spec(task: Task, training: Training, encoder: Checkpoint, seed: int) -> RunSpec:
    """A run without its precision and files."""
    updates, warmup = update_counts(task.settings, training.batches) if task.trains else (0, 0)
    separators = task.settings.pair_separators or encoder.pair_separators
    return RunSpec(
        checkpoint=encoder.name,
        checkpoint_digest=encoder.digest,
        encoder=encoder.config.as_options(),
        task=task.name,
        benchmark=task.benchmark.name,
        family=task.benchmark.family,
        models=task.models,
        train_languages=training.train_languages,
        valid_languages=training.valid_languages,
        seed=seed,
        holdout=task.holdout,
        code_switch=task.code_switch,
        settings=as_data(replace(task.settings, pair_separators=separators)) if task.trains else {},
        options=task.options,
        train_examples=training.examples,
        updates=updates,
        warmup_updates=warmup,
        precision="fp32",
        digests={},
        place={"checkpoint": str(encoder.path), "data": str(task.folder.absolute())},
        score=task.score,
    )


def find_files(study: Study) -> dict[str, Files]:
    """The absolute paths of every task."""
    wanted = {
        (task.name, part, language): partial(_find, task, part, language)
        for task in study.tasks
        for part, language in _parts(task)
    }
    found: dict[str, Files] = {task.name: {"train": {}, "valid": {}, "test": {}} for task in study.tasks}
    for (name, part, language), path in find_all(wanted).items():
        found[name][part][language] = path.absolute()
    return found


def _parts(task: Task) -> Iterator[tuple[str, str]]:
    """(part, language) of every file that a task reads."""
    if task.trains:
        train = dict.fromkeys((*(("en",) if task.code_switch else ()), *task.train_languages))
        yield from (("train", language) for language in train)
        if task.holdout is None:
            valid = task.train_languages if task.models == "each" else task.valid_languages
            yield from (("valid", language) for language in valid)
    tested = [x for x in task.languages if task.models == "one" or x in task.train_languages]
    yield from (("test", language) for language in tested)


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
        remedy = "rename it, or link to it"
        raise XalignError("fairseq's options can't hold a comma", where=path.absolute(), remedy=remedy)
    return path


def _trainings(task: Task, files: Files, encoders: Sequence[Checkpoint]) -> Iterator[Training]:
    """The models of a task, with all their files read and checked."""
    if not task.trains:
        unlabelled = []
        for language in task.languages:
            tested = task.benchmark.read(files["test"][language], language)
            _check_languages(encoders, tested)
            unlabelled += [language] * _is_unlabelled(tested)
        yield Training((), (), task.languages, unlabelled=tuple(unlabelled))
        return
    family = FAMILIES[task.benchmark.family]
    for training in _models(task):
        examples = {language: _read(task, files, "train", language) for language in training.train_languages}
        together = [one for some in examples.values() for one in some]
        _check_languages(encoders, together)
        groups = grouped(examples, task.code_switch)
        items = len(groups)
        if task.holdout is not None:
            items -= int(held_out(examples, groups, task.holdout, where=f"{task.name}, holdout").sum())
        each = 2 if task.code_switch else 1  # both mixtures of an example belong in one batch
        labels = family.labels_of(together)
        unlabelled = []
        for part, languages in (("valid", training.valid_languages), ("test", training.languages)):
            for language in languages:
                read = _read(task, files, part, language)
                check_labels(labels, read, files[part][language])
                _check_languages(encoders, read)
                unlabelled += [language] * (part == "test" and _is_unlabelled(read))
        batches = ceil(items / max(1, task.settings.batch_size // each))
        yield replace(training, examples=items * each, batches=batches, unlabelled=tuple(unlabelled))


def _is_unlabelled(examples: Sequence[Any]) -> bool:
    """Whether a test set has no labels, so it can be predicted but not scored."""
    return label_of(examples[0]) is None


def _check_languages(encoders: Sequence[Checkpoint], examples: Sequence[Any]) -> None:
    for encoder in encoders:
        require_languages(encoder.config, examples)


def _models(task: Task) -> list[Training]:
    english = ("en",) if task.code_switch else ()
    if task.models == "one":
        valid = () if task.holdout is not None else task.valid_languages
        return [Training(tuple(dict.fromkeys((*english, *task.train_languages))), valid, task.languages)]
    return [
        Training((*english, language), (language,) if task.holdout is None else (), (language,))
        for language in task.train_languages
    ]


def _read(task: Task, files: Files, part: str, language: str) -> list[Any]:
    """A file's examples; training and model selection need labels."""
    examples = task.benchmark.read(files[part][language], language)
    gold = FAMILIES[task.benchmark.family].gold
    without = sum(gold(example) is None for example in examples)
    if not examples or (without and part != "test"):
        raise XalignError(
            "the file has nothing to test" if part == "test" else "the file has no labels to train or select on",
            where=files[part][language],
            found=f"{without} of {counted(len(examples), 'example')} without a label",
        )
    return examples


def _check_encoders(task: Task, checkpoints: Sequence[Checkpoint]) -> None:
    """Refuse windows and layers that an encoder does not have."""
    length = task.settings.max_length or 0
    layers = {"layer": task.options.get("layer"), "freeze_layers": task.settings.freeze_layers}
    for encoder in checkpoints:
        for name, layer in layers.items():
            if layer is not None:
                with errors_at(f"{encoder.name}, {task.name}"):
                    encoder.config.resolve_layer(layer, name)
        if task.trains and length > encoder.config.max_positions:
            raise XalignError(
                "the windows are longer than the encoder's positions",
                where=f"{task.name}, max_length; {encoder.name}",
                found=length,
                expected=f"at most {encoder.config.max_positions}",
                remedy="give max_length (and overlap) in the study's settings",
            )


def describe(study: Study, specs: Sequence[RunSpec], done: Mapping[str, bool]) -> Iterator[str]:
    """A description of the runs: one line per task, and their number."""
    for task in study.tasks:
        runs = [spec for spec in specs if spec.task == task.name]
        if not runs:
            continue
        first = runs[0]
        if task.trains:
            chosen = f"{task.holdout:g} held out" if task.holdout is not None else "+".join(first.valid_languages)
            trained = sorted(
                {f"{'+'.join(x.train_languages)} ({x.train_examples} examples, {x.updates} updates)" for x in runs}
            )
            yield f"{task.name}: train {', '.join(trained)}; select on {chosen}"
        else:
            yield f"{task.name}: no training"
        tested = dict.fromkeys(x for spec in runs for x in spec.digests["test"])
        yield f"  {task.benchmark.name}, test {' '.join(tested)}: {counted(len(runs), 'run')}"
        unlabelled = {x: spec.place["files"]["test"][x] for spec in runs for x in spec.place.get("unlabelled", ())}
        if unlabelled:
            yield f"  without labels, predicted and not scored: {', '.join(unlabelled.values())}"
            yield f"  labelled ones: {task.benchmark.labelled}; examples/transfer/0_download.sh fetches them"
    finished = sum(done[spec.name] for spec in specs)
    yield f"{counted(len(specs), 'run')}, {finished} of them done"
