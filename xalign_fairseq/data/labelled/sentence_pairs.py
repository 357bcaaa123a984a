"""Pairs of texts with a class: XNLI and PAWS-X, in XTREME's and in their authors' formats."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.compressed import existing, unpacked_name
from xalign_fairseq.data.labelled.examples import PairExample, read_rows

logger = logging.getLogger(__name__)
# Names of columns in the files that have a header: XNLI-1.0, XNLI-MT's multinli.train.*, PAWS-X, and the hub's XNLI.
_FIRST, _SECOND = ("sentence1", "premise"), ("sentence2", "hypo", "hypothesis")
_LABEL, _ID = ("gold_label", "label"), ("pairid", "id")


@dataclass(frozen=True)
class _Columns:
    """The columns of a pair's parts in a row of ``width`` columns; ``None`` for a missing column."""

    width: int
    first: int
    second: int
    label: int | None
    id: int | None = None
    language: int | None = None


TRANSLATED = _Columns(5, 2, 3, 4)
MOST_BROKEN = 0.01


def read_pairs(path: StrPath, language: str) -> list[PairExample]:
    """Read pairs of texts from tab-separated rows; the first row determines the columns.

    With a header (XNLI-1.0, ``multinli.train.*.tsv``, PAWS-X) the names determine the columns; in a file of many
    languages only the rows of ``language`` are read. Without a header (XTREME) the columns are first text, second text,
    label; or two texts, with the labels in ``{split}.labels`` next to ``{split}-{language}.tsv``, if that file exists.
    An empty label column means unlabelled. ``contradictory``, in XNLI's training files, is read as ``contradiction``.
    Five columns are XTREME's translated training sets: the English pair, its translation and the label; the translation
    is read. Rows that lack a part, as in PAWS-X, are skipped and counted, up to 1 %.
    """
    rows = read_rows(path)
    columns, header = _columns(path)
    if header:
        next(rows)
    examples, others, without, broken = [], set(), [], list[int]()
    for number, line in enumerate(rows, 1 + header):
        row = line.split("\t")
        if columns.width == TRANSLATED.width and (len(row) != columns.width or not all(each.strip() for each in row)):
            broken.append(number)
            continue
        if len(row) != columns.width:
            where, found = f"{path}, line {number}", f"{len(row)} columns"
            raise XalignError("a row does not have the columns of the first one", where=where, found=found)
        if columns.language is not None and row[columns.language].strip() != language:
            others.add(row[columns.language].strip())
            continue
        parts = row if header else [_unquote(each) for each in row]
        label = None if columns.label is None else _label(parts[columns.label])
        if label is None:
            without.append(number)
        name = str(number) if columns.id is None else parts[columns.id].strip()
        examples.append(PairExample(name, language, parts[columns.first].strip(), parts[columns.second].strip(), label))
    if broken:
        problem, every = "do not have five columns with text", len(broken) + len(examples)
        found = f"{len(broken)} of {every} rows, the first of them line {broken[0]}"
        if len(broken) > MOST_BROKEN * every:
            raise XalignError(f"rows {problem}", where=path, found=found, expected="at most 1 %")
        logger.warning("%s: %s, %s and are skipped", path, found, problem)
    if not examples:
        found = f"rows of {', '.join(sorted(others))}" if others else "only a header"
        raise XalignError(f"the file has no pair of language {language}", where=path, found=found)
    if 0 < len(without) < len(examples):
        raise _no_label(path, without[0])
    return _with_labels_beside(path, examples) if columns.label is None else examples


def labels_file(path: StrPath) -> Path | None:
    """The file of labels next to ``{split}-{language}.tsv``, ``{split}.labels`` (or compressed), if there is one."""
    path = Path(path)
    split = path.name.partition("-")[0]
    beside = Path(existing(str(path.with_name(f"{split}.labels"))))
    return beside if beside.is_file() and beside.name != path.name else None


def _columns(path: StrPath) -> tuple[_Columns, bool]:
    """The columns, and whether the first row is a header."""
    row = next(read_rows(path)).split("\t")
    names = [name.strip().lower() for name in row]
    first, second, label = (_index(names, each) for each in (_FIRST, _SECOND, _LABEL))
    if first is not None and second is not None:
        return _Columns(len(row), first, second, label, _index(names, _ID), _index(names, ("language",))), True
    named = [name for name in names if name in (*_FIRST, *_SECOND, *_LABEL)]
    if len(row) == TRANSLATED.width and not named:
        return TRANSLATED, False
    if len(row) not in (2, 3) or named:
        expected = "text TAB text [TAB label], or a header that names sentence1, sentence2 and label"
        raise XalignError("the columns of the file are unknown", where=f"{path}, line 1", found=row, expected=expected)
    return _Columns(len(row), 0, 1, 2 if len(row) == 3 else None), False


def _index(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((names.index(each) for each in wanted if each in names), None)


def quote(text: str) -> str:
    """A text as a cell of a file without a header; quoted only if a reader would otherwise remove the text's own
    quotes."""
    return text if _unquote(text) == text else '"' + text.replace('"', '""') + '"'


def _unquote(text: str) -> str:
    """A text without the quotes of Python's csv module, which XTREME used."""
    inside = text[1:-1]
    quoted = len(text) > 3 and text[0] == text[-1] == '"' and '""' in inside and '"' not in inside.replace('""', "")
    return inside.replace('""', '"') if quoted else text


def _label(text: str) -> str | None:
    label = text.strip()
    return "contradiction" if label == "contradictory" else label or None


def _no_label(path: StrPath, number: int) -> XalignError:
    return XalignError("some pairs have a label and others do not", where=f"{path}, line {number}")


def _with_labels_beside(path: StrPath, examples: list[PairExample]) -> list[PairExample]:
    beside = labels_file(path)
    if beside is None:
        return examples
    labels = [_label(line) for line in read_rows(beside)]
    if None in labels:
        raise _no_label(beside, 1 + labels.index(None))
    if len(labels) != len(examples):
        found = f"{len(examples)} and {len(labels)}"
        raise XalignError("pairs and labels differ in number", where=f"{path}, {beside}", found=found)
    return [replace(each, label=label) for each, label in zip(examples, labels, strict=True)]


# Languages of XTREME's Tatoeba task and of shared test sets: ISO 639-1 to the code in LASER's file names.
_TATOEBA = """
    af:afr ar:ara az:aze bg:bul bn:ben cs:ces da:dan de:deu el:ell es:spa et:est eu:eus fa:pes fi:fin fr:fra he:heb
    hi:hin hu:hun id:ind it:ita ja:jpn jv:jav ka:kat kk:kaz ko:kor lt:lit ml:mal mr:mar nl:nld pl:pol pt:por ro:ron
    ru:rus sl:slv sv:swe sw:swh ta:tam te:tel th:tha tl:tgl tr:tur uk:ukr ur:urd vi:vie zh:cmn
"""
TATOEBA_LANGUAGES = dict(pair.split(":") for pair in _TATOEBA.split())


def english_file(path: StrPath) -> Path | None:
    """The English side of the bitext with this other side: ``en-de.en`` for ``en-de.de``; None for other names."""
    path = Path(path)
    name = unpacked_name(path.name)
    packed = path.name.removeprefix(name)
    stem, _, side = name.rpartition(".")
    pair = stem.rpartition(".")[2].split("-")
    for english in ("en", "eng"):
        if sorted(pair) == sorted((english, side)):
            return path.with_name(f"{stem}.{english}{packed}")
    return None


def read_bitext(path: StrPath, language: str) -> list[PairExample]:
    """Read a bitext by its foreign side: ``first`` is the sentence in ``language``, ``second`` its English translation.

    The label is the line number of the translation. A sorted English side has no labels: XTREME's scripts sort it to
    hide the pairs.
    """
    other = english_file(path)
    if other is None:
        problem = "the file is not named as the foreign side of a bitext with English"
        raise XalignError(problem, where=path, expected="a name such as en-de.de or tatoeba.deu-eng.deu")
    foreign, english = ([line.strip() for line in read_rows(each)] for each in (path, other))
    if len(foreign) != len(english):
        found = f"{len(foreign)} and {len(english)} lines"
        raise XalignError("the two sides of the bitext differ in length", where=f"{path}, {other}", found=found)
    hidden = len(set(english)) > 20 and english == sorted(english)
    return [
        PairExample(str(number), language, mine, theirs, None if hidden else str(number), "en")
        for number, (mine, theirs) in enumerate(zip(foreign, english, strict=True), 1)
    ]
