"""The benchmarks of zero-shot transfer: file names, readers and metrics."""

import glob
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import COMPRESSED, StrPath
from xalign_fairseq.data.labelled.conllu import read_pos, read_tagged_words, read_trees
from xalign_fairseq.data.labelled.examples import Example
from xalign_fairseq.data.labelled.groups import grouped, held_out
from xalign_fairseq.data.labelled.labels import check_labels, classes, label_of
from xalign_fairseq.data.labelled.sentence_pairs import TATOEBA_LANGUAGES, read_bitext, read_pairs
from xalign_fairseq.data.labelled.squad import TYDIQA_LANGUAGES, read_squad, read_tydiqa
from xalign_fairseq.evaluation.metric import ACCURACY, Metric
from xalign_fairseq.evaluation.parsing import LAS, LAS_ALL, UAS, UAS_ALL
from xalign_fairseq.evaluation.qa import MLQA_EM, MLQA_F1, SQUAD_EM, SQUAD_F1
from xalign_fairseq.evaluation.retrieval import RETRIEVAL_METRICS
from xalign_fairseq.evaluation.tagging import ENTITY_F1, TOKEN_ACCURACY, XTREME_POS_F1
from xalign_fairseq.transfer.family import Limits

K = TypeVar("K")
Reader = Callable[[StrPath, str], Sequence[Example]]
Files = Mapping[str, StrPath]  # language -> path
Group = tuple[Any, ...]
SPLITS = {"train": "train", "valid": "dev", "test": "test"}  # part of a task -> split of the benchmark


@dataclass(frozen=True)
class Benchmark:
    """A test set in many languages, with its training and development sets.

    Attributes:
        reader: (path, language) -> examples.
        metrics: the metrics; the first one chooses the best model and comes first in tables.
        names: split -> file names in search order, relative to the data folder or to one of ``folders``. ``*`` matches
            anything; fields: ``{language}``, ``{context}`` and ``{question}`` (the parts of a language such as
            ``en-de``), ``{iso3}`` and ``{english_name}`` of the language. The prefix ``en:`` marks a file only for
            English.
        folders: the benchmark's folders in a data folder of many benchmarks; may be patterns.
    """

    name: str
    family: str
    reader: Reader
    metrics: tuple[Metric, ...]
    names: Mapping[str, tuple[str, ...]]
    folders: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)

    def score(self, names: Sequence[str] = (), parameter: str = "score") -> tuple[Metric, ...]:
        """The metrics whose mean is a task's score, by default EM and F1 for QA, else the first; that one selects."""
        if not names:
            return self.metrics if self.family == "qa" else self.metrics[:1]
        known = {metric.name: metric for metric in self.metrics}
        if not set(names) <= known.keys() or len(set(names)) < len(names):
            expected = f"one or more of {', '.join(known)}"
            raise XalignError(
                f"{self.name} has no such score", parameter=parameter, found=", ".join(names), expected=expected
            )
        return tuple(known[name] for name in names)

    def read(self, path: StrPath, language: str, labelled: bool = False) -> list[Any]:
        """Examples of a file, in order, each with its language (``en`` for ``en_ewt`` and ``en-de``).

        There is at least one. All are labelled or none is; with ``labelled``, all are.
        """
        examples = list(self.reader(path, language))
        unlabelled = [each.id for each in examples if label_of(each) is None]
        if labelled and len(unlabelled) == len(examples):
            raise XalignError(
                "the file has no labels to train or select on",
                where=path,
                found=f"{len(unlabelled)} of {counted(len(examples), 'example')} without a label",
                remedy="use a labelled file or split",
            )
        if 0 < len(unlabelled) < len(examples):
            raise XalignError(
                "some examples of the file have labels and some do not",
                where=path,
                found=f"{len(unlabelled)} of {len(examples)} without, the first of them {unlabelled[0]}",
                expected="labels on all (to train or score) or on none (to predict)",
            )
        return examples

    def read_training(
        self, train: Files, valid: Files, *, code_switch: bool = False, holdout: float | None = None
    ) -> tuple[list[Group], list[Group], list[str]]:
        """Groups of training examples (:func:`.grouped`), groups of validation examples, and the classes.

        With ``holdout``, this share of the training groups is the validation data, and ``valid`` is not read. Classes
        are those of all training files, because they must not depend on a draw.
        """
        training = {language: self.read(path, language, labelled=True) for language, path in train.items()}
        labels = classes([each for examples in training.values() for each in examples])
        groups = grouped(training, code_switch)
        if holdout:
            pairs = list(zip(groups, held_out(training, groups, holdout), strict=True))
            return [group for group, held in pairs if not held], [group for group, held in pairs if held], labels
        chosen: list[Group] = []
        for language, path in valid.items():
            examples = self.read(path, language, labelled=True)
            check_labels(labels, examples, path)
            chosen += [(each,) for each in examples]
        return groups, chosen, labels


def find(benchmark: Benchmark, folder: StrPath, split: str, language: str) -> Path:
    """The file of a split and language in the benchmark's folder, or in a folder of many benchmarks."""
    tried = []
    for pattern in _patterns(benchmark, split, language):
        for end in ("", *COMPRESSED):
            found = sorted(Path(folder).glob(pattern + end))
            if len(found) > 1 and pattern.startswith(_RELEASE) and language in USUAL_TREEBANKS:
                found = [each for each in found if each.name.startswith(f"{USUAL_TREEBANKS[language]}-")] or found
            if len(found) > 1:
                raise XalignError(
                    f"several files fit {benchmark.name}, {split}, {language}",
                    where=folder,
                    found=", ".join(str(each.relative_to(folder)) for each in found),
                    expected="one",
                    remedy="name the treebank instead of the language, such as en_ewt, or a folder with only one",
                )
            if found:
                return found[0]
        tried.append(pattern)
    raise XalignError(
        f"no file of {benchmark.name}, {split}, {language}",
        where=folder,
        found=_listing(Path(folder)),
        expected=f"{' or '.join(tried)}, compressed or not" if tried else f"another language: {split} has only English",
    )


def find_all(wanted: Mapping[K, Callable[[], Path]]) -> dict[K, Path]:
    """Find many files at once: each value of ``wanted`` finds one."""
    found, problems = {}, []
    for key, finder in wanted.items():
        try:
            found[key] = finder()
        except XalignError as error:
            facts = (error.where, error.found and f"found {error.found}", error.expected)
            problems.append("; ".join([error.problem, *(str(fact) for fact in facts if fact)]))
    if problems:
        raise XalignError(
            f"{counted(len(problems), 'file')} of the data can't be used",
            found="\n".join(["", *(f"    {problem}" for problem in problems)]),
            remedy=("add them, or choose other", Parameter("languages")),
        )
    return found


def _patterns(benchmark: Benchmark, split: str, language: str) -> list[str]:
    if split not in benchmark.names:
        raise XalignError(
            "the benchmark has no such split", where=benchmark.name, found=split, expected=", ".join(benchmark.names)
        )
    if not language or "/" in language:  # part of file patterns, and often of prediction files' names
        raise XalignError("this is not a language", where=benchmark.name, found=repr(language), expected="such as de")
    context, _, question = language.partition("-")
    fields = {
        "language": language,
        "context": context,
        "question": question or context,
        "iso3": TATOEBA_LANGUAGES.get(language, language),
        "english_name": TYDIQA_LANGUAGES.get(language, language),
    }
    fields = {key: glob.escape(value) for key, value in fields.items()}
    names = [
        name.format(**fields).removeprefix("en:")
        for name in benchmark.names[split]
        if language == "en" or not name.startswith("en:")
    ]
    return names + [f"{folder}/{name}" for folder in benchmark.folders for name in names]


def _listing(folder: Path) -> str:
    """The first names in a folder."""
    if not folder.is_dir():
        return "no such folder"
    names = sorted(each.name + ("/" if each.is_dir() else "") for each in folder.iterdir())
    return (", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")) or "nothing"


# The treebanks of Wu & Dredze (2020), section 3, for languages with several in UD.
USUAL_TREEBANKS = {
    each[:2]: each
    for each in ["ar_padt", "de_gsd", "en_ewt", "es_gsd", "fr_gsd", "hi_hdtb", "ru_gsd", "vi_vtb", "zh_gsd"]
}
_TREEBANKS = ("{language}_*-ud-%s.conllu", "{language}-ud-%s.conllu")
_RELEASE = "ud-treebanks-"
_TREEBANK_FOLDERS = ("ud", "UD_*", f"{_RELEASE}*/UD_*")
# XTREME's translated training sets, https://console.cloud.google.com/storage/browser/xtreme_translations
_TRANSLATED = ("xtreme_translations/{0}/translate-train", "{0}/translate-train")
_TRANSLATED_SQUAD = "squad.translate.train.en-{language}.json"
_SQUAD = {"train": ("en:train-v1.1.json", _TRANSLATED_SQUAD), "dev": ("en:dev-v1.1.json",)}
_TYDIQA_DEV = ("tydiqa.goldp.{language}.dev.json", "tydiqa-goldp-dev-{english_name}.json", "tydiqa-goldp-v1.1-dev.json")


def _of_splits(*names: str) -> dict[str, tuple[str, ...]]:
    """The same names for every split; ``%s`` is the split."""
    return {split: tuple(name.replace("%s", split) for name in names) for split in ("train", "dev", "test")}


def _translated(name: str) -> tuple[str, ...]:
    """Folders of XTREME's translated training sets."""
    return tuple(folder.format(name) for folder in _TRANSLATED)


_MLQA_TRAIN = "{language}_squad-translate-train-train-v1.1.json"
_LONG = Limits(tokens=384, overlap=128)
_ALL = (
    Benchmark(
        "xnli",
        "classification",
        read_pairs,
        (ACCURACY,),
        {
            "train": ("train-{language}.tsv", "multinli.train.{language}.tsv", "en-{language}-translated.tsv"),
            "dev": ("dev-{language}.tsv", "xnli.dev.tsv"),
            "test": ("test-{language}.tsv", "xnli.test.tsv"),
        },
        ("xnli", "XNLI-1.0", "XNLI-MT-1.0/multinli", *_translated("XNLI")),
    ),
    Benchmark(
        "pawsx",
        "classification",
        read_pairs,
        (ACCURACY,),
        {
            "train": (
                "train-{language}.tsv",
                "{language}/train.tsv",
                "{language}/translated_train.tsv",
                "en-{language}-translated.tsv",
            ),
            "dev": ("dev-{language}.tsv", "{language}/dev_2k.tsv"),
            "test": ("test-{language}.tsv", "{language}/test_2k.tsv"),
        },
        ("pawsx", "x-final", *_translated("PAWSX")),
    ),
    Benchmark(
        "pos",
        "tagging",
        read_pos,
        (TOKEN_ACCURACY, XTREME_POS_F1),
        _of_splits(*_TREEBANKS, "%s-{language}.tsv"),
        ("udpos", *_TREEBANK_FOLDERS),
    ),
    Benchmark(
        "ner",
        "tagging",
        read_tagged_words,
        (ENTITY_F1,),
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
        ("xquad", "squad", *_translated("SQuAD")),
        _LONG,
    ),
    Benchmark(
        "mlqa",
        "qa",
        read_squad,
        (MLQA_F1, MLQA_EM),
        {
            "train": ("en:train-v1.1.json", _MLQA_TRAIN, _TRANSLATED_SQUAD),
            "dev": ("dev-context-{context}-question-{question}.json",),
            "test": ("test-context-{context}-question-{question}.json",),
        },
        ("mlqa", "mlqa-dev", "mlqa/MLQA_V1/*", "MLQA_V1/*", "mlqa-translate-train", "squad", *_translated("SQuAD")),
        _LONG,
    ),
    Benchmark(
        "tydiqa",
        "qa",
        read_tydiqa,
        (SQUAD_F1, SQUAD_EM),
        {
            "train": (
                "tydiqa.goldp.{language}.train.json",
                "tydiqa.translate.train.en-{language}.json",
                "tydiqa-goldp-v1.1-train.json",
            ),
            "dev": _TYDIQA_DEV,
            "test": _TYDIQA_DEV,  # its test set is not public; XTREME tests on the dev set
        },
        ("tydiqa-goldp", "tydiqa", "tydiqa/*", "tydiqa-goldp-v1.1-*", *_translated("TyDiQA-GoldP")),
        _LONG,
    ),
    Benchmark(
        *("tatoeba", "retrieval", read_bitext, RETRIEVAL_METRICS),
        {"test": ("tatoeba.{iso3}-eng.{iso3}", "en-{language}.{language}", "{language}-en.{language}")},
        ("tatoeba", "tatoeba/v1"),
    ),
)
BENCHMARKS = {each.name: each for each in _ALL}
