"""The benchmarks of zero-shot transfer: how their files are named and read, and what is measured on them."""

import dataclasses
import glob
import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xalign_fairseq.errors import XalignError
from xalign_fairseq.evaluation.classification import ACCURACY
from xalign_fairseq.evaluation.metric import Metric
from xalign_fairseq.evaluation.parsing import LAS, LAS_ALL, UAS, UAS_ALL
from xalign_fairseq.evaluation.qa import MLQA_EM, MLQA_F1, SQUAD_EM, SQUAD_F1
from xalign_fairseq.evaluation.tagging import ENTITY_F1, TOKEN_ACCURACY, XTREME_POS_F1, entity_f1
from xalign_fairseq.transfer.examples import Example, PairExample, QuestionExample, TreeExample, WordsExample
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.formats.bitext import TATOEBA_LANGUAGES, english_file, read_bitext
from xalign_fairseq.transfer.formats.conllu import UD_RELATIONS, UPOS_TAGS, read_trees, read_upos
from xalign_fairseq.transfer.formats.lines import open_bytes, read_rows
from xalign_fairseq.transfer.formats.sentence_pairs import labels_file, read_pairs
from xalign_fairseq.transfer.formats.squad import TYDIQA_LANGUAGES, read_squad, read_tydiqa
from xalign_fairseq.transfer.formats.tagged_words import read_tagged_words

SPLITS = ("train", "dev", "test")
Reader = Callable[[str | os.PathLike, str], Sequence[Example]]


@dataclass(frozen=True)
class Benchmark:
    """A test set in many languages, and the training and development sets that go with it.

    Attributes:
        name: as in plans and results.
        family: name of the family of tasks; Tatoeba's ``retrieval`` needs no training.
        reader: (path, language) -> examples.
        metrics: what is measured; the first one chooses the best model and stands first in tables.
        names: split -> names of its files, in the order in which they are looked for, relative to the data folder or
            to one of ``folders``. ``*`` stands for anything; fields: ``{language}``, ``{context}`` and ``{question}``
            (the parts of a language such as ``en-de``), ``{iso3}`` and ``{english_name}`` of the language.
        folders: where in a data folder of many benchmarks this one's files lie; patterns too.
        limits: how long the windows are unless a run says otherwise.
    """

    name: str
    family: str
    reader: Reader
    metrics: tuple[Metric, ...]
    names: Mapping[str, tuple[str, ...]]
    folders: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)

    def read(self, path: str | os.PathLike, language: str) -> list[Any]:
        """Examples of a file, in order; their ``language`` is that of the text (``en`` of ``en_ewt`` and ``en-de``).

        Raises:
            XalignError: whatever is wrong in the file (file and line, or id), or labels on some examples only.
        """
        examples = list(self.reader(path, text_language(language)))
        unlabelled = [each.id for each in examples if _gold(each) is None]
        if unlabelled and len(unlabelled) < len(examples):
            raise XalignError(
                "some examples of the file have labels and some have none",
                where=path,
                found=f"{len(unlabelled)} of {len(examples)} without, the first of them {unlabelled[0]}",
                expected="labels on all (to train or score) or on none (to predict)",
            )
        return examples


Request = tuple[Benchmark, str | os.PathLike, str, str]


def text_language(language: str) -> str:
    """The language of the text: ``en`` of a treebank ``en_ewt`` and of MLQA's context-question pair ``en-de``."""
    return language.partition("_")[0].partition("-")[0]


def find(benchmark: Benchmark, folder: str | os.PathLike, split: str, language: str) -> Path:
    """The file of a split and language in a folder of the benchmark, or in a folder of many benchmarks.

    Args:
        benchmark: one of :data:`BENCHMARKS`.
        folder: of the data.
        split: ``train``, ``dev`` or ``test``.
        language: its code; for treebanks also ``en_ewt``, where a folder holds several of a language; for MLQA also
            ``en-de``, contexts in English and questions in German.

    Raises:
        XalignError: no such file (with the names that were tried and the files that are there), or several.

    Example::

        find(BENCHMARKS["pos"], "data", "test", "de")  # data/ud/de_gsd-ud-test.conllu.gz
    """
    tried = []
    for pattern in _patterns(benchmark, split, language):
        for end in ("", ".gz"):
            found = sorted(Path(folder).glob(pattern + end))
            if len(found) > 1:
                raise XalignError(
                    f"several files fit {benchmark.name}, {split}, {language}",
                    where=folder,
                    found=", ".join(str(each.relative_to(folder)) for each in found),
                    expected="one",
                    next="name the treebank in place of the language, such as en_ewt, or a folder that holds one",
                )
            if found:
                return found[0]
        tried.append(pattern)
    raise XalignError(
        f"no file of {benchmark.name}, {split}, {language}",
        where=folder,
        found=_listing(Path(folder)),
        expected="one of " + ", ".join(tried) + " (or .gz)",
    )


def find_all(requests: Iterable[Request]) -> list[Path]:
    """The files of many (benchmark, folder, split, language) at once.

    Raises:
        XalignError: some can't be found; each of them is listed.
    """
    found, problems = [], []
    for request in requests:
        try:
            found.append(find(*request))
        except XalignError as error:
            problems.append(str(error))
    if problems:
        raise XalignError(f"{len(problems)} files of the data can't be found\n" + "\n".join(problems))
    return found


def digest(path: str | os.PathLike) -> str:
    """First 12 hexadecimal digits of the SHA-256 of a file's content, decompressed, and of what is read with it.

    That is the file of labels beside a file of pairs, and the English side of a bitext, appended.
    """
    content = hashlib.sha256()
    for each in (Path(path), labels_file(path), english_file(path)):
        if each is not None:
            with open_bytes(each) as stream:
                while block := stream.read(1 << 20):
                    content.update(block)
    return content.hexdigest()[:12]


def check_labels(train_labels: Iterable[str], examples: Sequence[Example], path: object) -> list[str]:
    """Check that a model knows the labels of a file.

    Tags and relations of Universal Dependencies that merely did not occur in training are no error, since languages
    use different ones and a model can only get them wrong; they are returned, sorted.

    Raises:
        XalignError: other labels that are not in ``train_labels``; all are named.
    """
    known = set(train_labels)
    unknown = {label for each in examples for label in _labels(each)} - known
    foreign = {label for label in unknown if label.partition(":")[0] not in UPOS_TAGS | UD_RELATIONS}
    if foreign:
        raise XalignError(
            "the file has labels that the model was not trained on",
            where=path,
            found=", ".join(sorted(foreign)),
            expected=", ".join(sorted(known)),
            next="train on data with the same labels",
        )
    return sorted(unknown)


def _patterns(benchmark: Benchmark, split: str, language: str) -> list[str]:
    if split not in SPLITS:
        raise XalignError("the split is unknown", where=benchmark.name, found=split, expected=", ".join(SPLITS))
    code = text_language(language)
    fields = {
        "language": language,
        "context": code,
        "question": language.partition("-")[2] or code,
        "iso3": TATOEBA_LANGUAGES.get(code, code),
        "english_name": TYDIQA_LANGUAGES.get(code, code),
    }
    fields = {key: glob.escape(value) for key, value in fields.items()}
    names = [name.format(**fields) for name in benchmark.names.get(split, ())]
    return names + [f"{folder}/{name}" for folder in benchmark.folders for name in names]


def _listing(folder: Path, most: int = 12) -> str:
    """The first names in a folder."""
    if not folder.is_dir():
        return "no such folder"
    names = sorted(each.name + ("/" if each.is_dir() else "") for each in folder.iterdir())
    return (", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")) or "nothing"


def _gold(example: Example) -> object:
    """The label in whatever form it has; ``None`` if the example has none. Bitext's line order is its label."""
    match example:
        case PairExample():
            return example.label
        case WordsExample():
            return example.tags
        case TreeExample():
            return example.tree
        case QuestionExample():
            return example.answers


def _labels(example: Example) -> tuple[str, ...]:
    """The classes that an example uses."""
    match example:
        case PairExample(label=str(label)):
            return (label,)
        case WordsExample(tags=tuple(tags)):
            return tags
        case TreeExample(tree=tree) if tree is not None:
            return tree.relations
    return ()


def _read_pos(path: str | os.PathLike, language: str) -> list[WordsExample]:
    """CoNLL-U, which has ten columns, or XTREME's lines of word and tag."""
    rows = (row for row in read_rows(path) if row.strip() and not row.startswith("#"))
    columns = next(rows, "").count("\t") + 1
    return read_tagged_words(path, language) if columns <= 2 else read_upos(path, language)


_TREEBANKS = ("{language}_*-ud-%s.conllu", "{language}-ud-%s.conllu")
_TREEBANK_FOLDERS = ("ud", "UD_*", "ud-treebanks-*/UD_*")
_SQUAD = {"train": ("train-v1.1.json",), "dev": ("dev-v1.1.json",)}


def _of_splits(*names: str) -> dict[str, tuple[str, ...]]:
    """The same names, with ``%s`` for the split, for every split."""
    return {split: tuple(name.replace("%s", split) for name in names) for split in SPLITS}


BENCHMARKS = {
    each.name: each
    for each in (
        Benchmark(
            "xnli",
            "classification",
            read_pairs,
            (ACCURACY,),
            {
                "train": ("train-{language}.tsv", "multinli.train.{language}.tsv"),
                "dev": ("dev-{language}.tsv", "xnli.dev.tsv"),
                "test": ("test-{language}.tsv", "xnli.test.tsv"),
            },
            ("xnli", "XNLI-1.0", "XNLI-MT-1.0/multinli"),
        ),
        Benchmark(
            "pawsx",
            "classification",
            read_pairs,
            (ACCURACY,),
            {
                "train": ("train-{language}.tsv", "{language}/train.tsv", "{language}/translated_train.tsv"),
                "dev": ("dev-{language}.tsv", "{language}/dev_2k.tsv"),
                "test": ("test-{language}.tsv", "{language}/test_2k.tsv"),
            },
            ("pawsx", "x-final"),
        ),
        Benchmark(
            "pos",
            "tagging",
            _read_pos,
            (TOKEN_ACCURACY, XTREME_POS_F1),
            _of_splits(*_TREEBANKS, "%s-{language}.tsv"),
            (*_TREEBANK_FOLDERS, "udpos"),
        ),
        Benchmark(
            "ner",
            "tagging",
            read_tagged_words,
            (ENTITY_F1, dataclasses.replace(entity_f1(repair=True), name="f1-repaired")),
            _of_splits("%s-{language}.tsv", "{language}/%s", "{language}-%s"),
            ("panx", "panx_dataset", "wikiann"),
        ),
        Benchmark(
            "parsing",
            "parsing",
            read_trees,
            (LAS, UAS, LAS_ALL, UAS_ALL),
            _of_splits(*_TREEBANKS),
            _TREEBANK_FOLDERS,
        ),
        Benchmark(
            "xquad",
            "qa",
            read_squad,
            (SQUAD_F1, SQUAD_EM),
            {**_SQUAD, "test": ("xquad.{language}.json",)},
            ("xquad", "squad"),
            Limits(tokens=384, overlap=128),
        ),
        Benchmark(
            "mlqa",
            "qa",
            read_squad,
            (MLQA_F1, MLQA_EM),
            {
                "train": (*_SQUAD["train"], "{language}_squad-translate-train-train-v1.1.json"),
                "dev": ("dev-context-{context}-question-{question}.json",),
                "test": ("test-context-{context}-question-{question}.json",),
            },
            ("mlqa", "mlqa-dev", "mlqa/MLQA_V1/*", "MLQA_V1/*", "mlqa-translate-train", "squad"),
            Limits(tokens=384, overlap=128),
        ),
        Benchmark(
            "tydiqa",
            "qa",
            read_tydiqa,
            (SQUAD_F1, SQUAD_EM),
            {
                "train": ("tydiqa.goldp.{language}.train.json", "tydiqa-goldp-v1.1-train.json"),
                "dev": (
                    "tydiqa.goldp.{language}.dev.json",
                    "tydiqa-goldp-dev-{english_name}.json",
                    "tydiqa-goldp-v1.1-dev.json",
                ),
            },
            ("tydiqa-goldp", "tydiqa", "tydiqa/*", "tydiqa-goldp-v1.1-*"),
            Limits(tokens=384, overlap=128),
        ),
        Benchmark(
            "tatoeba",
            "retrieval",
            read_bitext,
            (ACCURACY,),
            {"test": ("tatoeba.{iso3}-eng.{iso3}", "en-{language}.{language}")},
            ("tatoeba", "tatoeba/v1"),
        ),
    )
}
