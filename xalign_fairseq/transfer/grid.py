"""A study times checkpoints and seeds: every file found, read and checked before the first run begins."""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.digest import digest
from xalign_fairseq.data.labelled.groups import grouped, held_out
from xalign_fairseq.data.labelled.labels import check_labels
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transfer.benchmarks import find
from xalign_fairseq.transfer.family import FAMILIES, require_languages
from xalign_fairseq.transfer.run_spec import RunSpec
from xalign_fairseq.transfer.settings import as_data, update_counts
from xalign_fairseq.transfer.study import Study, Task

Files = dict[str, dict[str, Path]]


@dataclass(frozen=True)
class Checkpoint:
    """An encoder to compare: its name, its file in fairseq's format, its sizes, the digest of what was given, and what
    its tokenizer puts between two texts.
    """

    name: str
    path: Path
    config: EncoderConfig
    digest: str
    pair_separators: int = 2


@dataclass(frozen=True)
class Training:
    """One model of a task: what it is trained on, and how much that is."""

    train_languages: tuple[str, ...]
    valid_languages: tuple[str, ...]
    languages: tuple[str, ...]
    examples: int = 0
    batches: int = 0


def open_checkpoint(name: str, path: str | os.PathLike, cache: Path) -> Checkpoint:
    """Read and check a checkpoint; a Hugging Face folder, or the packaged encoder, is converted into ``cache`` once.

    Raises:
        XalignError: it is missing, is no encoder of this kind, or brings no tokenizer.
    """
    from xalign_fairseq.encoder.pretrained.four_bit import is_four_bit
    from xalign_fairseq.encoder.pretrained.reading import find_pretrained
    from xalign_fairseq.encoder.vocabulary import load_tokenizer

    given = find_pretrained(path).absolute()
    found = _digest_checkpoint(given)
    file = _converted(name, given, found, cache) if given.is_dir() or is_four_bit(given) else given
    state = checkpoint.read(file)
    encoder, _ = checkpoint.load_encoder(state, file)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=file)
    return Checkpoint(name, file, encoder.config, found, tokenizer.pair_separators)


def build(study: Study, checkpoints: Sequence[Checkpoint], *, cpu: bool, precision: str = "fp32") -> list[RunSpec]:
    """Every run of a study, in the order in which they are made: by task, seed and checkpoint.

    A task whose checkpoints are complete for one seed can be compared before the next seed begins.

    Raises:
        XalignError: files that are missing (all of them are listed), that can't be read, whose labels are unknown to
            the training data, or that have no labels to train on; a share to hold out that is none or all of them;
            windows, layers or languages that an encoder does not have.
    """
    files = find_files(study)
    specs = []
    for task in study.tasks:
        here = files[task.name]
        _check_encoders(task, checkpoints)
        trainings = list(_trainings(task, here, [each.config for each in checkpoints]))
        digests = {part: {language: digest(path) for language, path in each.items()} for part, each in here.items()}
        for training in trainings:
            updates, warmup = update_counts(task.settings, training.batches) if task.trains else (0, 0)
            wanted = {
                "train": training.train_languages,
                "valid": training.valid_languages,
                "test": training.languages,
            }
            for seed in study.seeds if task.trains else (0,):
                specs += [
                    RunSpec(
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
                        settings=_settings(task, encoder),
                        options=task.options,
                        train_examples=training.examples,
                        updates=updates,
                        warmup_updates=warmup,
                        precision=precision if task.trains else "fp32",
                        digests={part: {x: digests[part][x] for x in some} for part, some in wanted.items()},
                        place={
                            "checkpoint": str(encoder.path),
                            "data": str(task.folder.absolute()),
                            "cpu": cpu,
                            "files": {part: {x: str(here[part][x]) for x in some} for part, some in wanted.items()},
                        },
                        score=task.score,
                    )
                    for encoder in checkpoints
                ]
    if not specs:
        raise XalignError("the study has no run", expected="tasks, languages, seeds and checkpoints")
    return specs


def _settings(task: Task, encoder: Checkpoint) -> dict[str, Any]:
    """Of the task's training, pairs joined as the encoder's tokenizer does unless the study says otherwise."""
    if not task.trains:
        return {}
    separators = task.settings.pair_separators or encoder.pair_separators
    return as_data(replace(task.settings, pair_separators=separators))


def find_files(study: Study) -> dict[str, Files]:
    """Task -> part -> language -> path, absolute.

    Raises:
        XalignError: some are missing; all of them are listed.
    """
    found: dict[str, Files] = {}
    problems: list[str] = []
    for task in study.tasks:
        found[task.name] = {"train": {}, "valid": {}, "test": {}}
        for part, language in _parts(task):
            try:
                found[task.name][part][language] = _find(task, part, language).absolute()
            except XalignError as error:
                problems.append(f"{task.name}, {part}: {error}")
    if problems:
        raise XalignError(
            f"{len(problems)} files of the study can't be used\n" + "\n".join(problems),
            remedy="put them there, or choose --tasks and --languages whose files are",
        )
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
        raise XalignError(
            "fairseq's options can't hold a comma", where=path.absolute(), remedy="rename it, or link to it"
        )
    return path


def _trainings(task: Task, files: Files, encoders: Sequence[EncoderConfig]) -> Iterator[Training]:
    """The models of a task, with all their files read and checked."""
    if not task.trains:
        for language in task.languages:
            _check_languages(encoders, task.benchmark.read(files["test"][language], language))
        yield Training((), (), task.languages)
        return
    for training in _models(task):
        examples = {language: _read(task, files, "train", language) for language in training.train_languages}
        _check_languages(encoders, [one for some in examples.values() for one in some])
        groups = grouped(examples, task.code_switch)
        items = len(groups)
        if task.holdout is not None:
            items -= int(held_out(examples, groups, task.holdout, where=f"{task.name}, holdout").sum())
        each = 2 if task.code_switch else 1  # both mixtures of an example are in one batch
        labels = FAMILIES[task.benchmark.family].labels_of([one for some in examples.values() for one in some])
        for part, languages in (("valid", training.valid_languages), ("test", training.languages)):
            for language in languages:
                read = _read(task, files, part, language)
                check_labels(labels, read, files[part][language])
                _check_languages(encoders, read)
        batches = ceil(items / max(1, task.settings.batch_size // each))
        yield Training(training.train_languages, training.valid_languages, training.languages, items * each, batches)


def _check_languages(encoders: Sequence[EncoderConfig], examples: Sequence[Any]) -> None:
    for config in encoders:
        require_languages(config, examples)


def _models(task: Task) -> list[Training]:
    valid = () if task.holdout is not None else task.valid_languages
    english = ("en",) if task.code_switch else ()
    if task.models == "one":
        return [Training(tuple(dict.fromkeys((*english, *task.train_languages))), valid, task.languages)]
    return [
        Training((*english, language), (language,) if task.holdout is None else (), (language,))
        for language in task.train_languages
    ]


def _read(task: Task, files: Files, part: str, language: str) -> list:
    """A file's examples; without labels there is nothing to train or to choose a model on."""
    examples = task.benchmark.read(files[part][language], language)
    gold = FAMILIES[task.benchmark.family].gold
    without = sum(gold(example) is None for example in examples)
    if not examples or (without and part != "test"):
        raise XalignError(
            "the file has nothing to test" if part == "test" else "the file has no labels to train or select on",
            where=files[part][language],
            found=f"{without} of {len(examples)} examples without a label",
        )
    return examples


def _check_encoders(task: Task, checkpoints: Sequence[Checkpoint]) -> None:
    """Refuse windows and layers that an encoder does not have."""
    length, frozen, layer = task.settings.max_length or 0, task.settings.freeze_layers, task.options.get("layer")
    for encoder in checkpoints:
        if layer is not None:
            encoder.config.resolve_layer(layer, where=f"{task.name}; {encoder.name}")
        if frozen is not None:
            encoder.config.resolve_layer(frozen, "freeze_layers", f"{task.name}; {encoder.name}")
        if task.trains and length > encoder.config.max_positions:
            raise XalignError(
                "the windows are longer than the encoder's positions",
                where=f"{task.name}, max_length; {encoder.name}",
                found=length,
                expected=f"at most {encoder.config.max_positions}",
                remedy="give max_length (and overlap) in the study's settings",
            )


def _converted(name: str, given: Path, found: str, cache: Path) -> Path:
    """A model of another kind as a fairseq file; the digest beside it tells another model's conversion apart."""
    from xalign_fairseq.encoder.pretrained.saving import convert

    file = cache / f"{name}.pt"
    mark = cache / f"{name}.digest"
    if not (file.is_file() and mark.is_file() and mark.read_text().strip() == found):
        cache.mkdir(parents=True, exist_ok=True)
        mark.unlink(missing_ok=True)  # of what stands there until now
        convert(given, file, overwrite=True)
        mark.write_text(found + "\n")
    return file


def _digest_checkpoint(path: Path) -> str:
    """First 12 hexadecimal digits of the SHA-256 of a file, or of the weights, options and tokenizer of a folder."""
    kinds = {".json", ".safetensors", ".bin", ".model", ".txt"}
    files = sorted(each for each in path.iterdir() if each.suffix in kinds) if path.is_dir() else [path]
    if not all(each.is_file() for each in files):
        raise XalignError("the checkpoint does not exist", where=path, expected="a fairseq file, or a folder of "
                          "Hugging Face's format")  # fmt: skip
    content = hashlib.sha256()
    for each in files:
        with open(each, "rb") as stream:
            content.update(hashlib.file_digest(stream, "sha256").digest())
    return content.hexdigest()[:12]


def describe(study: Study, specs: Sequence[RunSpec], done: Mapping[str, bool]) -> Iterator[str]:
    """Lines that say what the runs are: one a task, and their number."""
    for task in study.tasks:
        runs = [spec for spec in specs if spec.task == task.name]
        if not runs:
            continue
        first = runs[0]
        if task.trains:
            chosen = f"{task.holdout:g} held out" if task.holdout is not None else "+".join(first.valid_languages)
            trained = sorted({f"{'+'.join(x.train_languages)} ({x.train_examples} examples, {x.updates} updates)"
                              for x in runs})  # fmt: skip
            yield f"{task.name}: train {', '.join(trained)}; select on {chosen}"
        else:
            yield f"{task.name}: no training"
        tested = dict.fromkeys(x for spec in runs for x in spec.digests["test"])
        yield f"  {task.benchmark.name}, test {' '.join(tested)}: {len(runs)} runs"
    finished = sum(done[spec.name] for spec in specs)
    yield f"{len(specs)} runs, {finished} of them done"
