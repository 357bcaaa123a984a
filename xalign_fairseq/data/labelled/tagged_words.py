"""One word and its tag per line, a blank line after each sentence: XTREME's POS and NER, and WikiAnn's own files."""

import re
from collections.abc import Iterator
from pathlib import Path

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.compressed import unpacked_name
from xalign_fairseq.data.labelled.conllu import read_upos
from xalign_fairseq.data.labelled.examples import WordsExample, read_rows

_CONLLU = re.compile(r"1(-\d+)?( +\S+){7,}")  # separated by spaces: a separate error
_COMMENT = re.compile(r"# (sent_id|text|newdoc|newpar)\b[^\t]*$")
_BLANK_AND_TAG = re.compile(r".* (O|[BIESLU]-\S+|[A-Z]{1,5})")  # as CoNLL-2003's files have it


def read_tagged_words(path: StrPath, language: str) -> list[WordsExample]:
    """Read ``word TAB tag`` lines, or ``word`` lines of a file without labels.

    The first line decides; WikiAnn's own files have the language before each word, even an empty one (``en:Paris TAB
    B-LOC``); it is removed. Sentences are numbered from 1.
    """
    examples: list[WordsExample] = []
    words: list[str] = []
    tags: list[str] = []

    def end_sentence() -> None:
        if words:
            examples.append(WordsExample(str(len(examples) + 1), language, tuple(words), tuple(tags) if tags else None))
            words.clear()
            tags.clear()

    for row in _rows(path, language):
        if row is None:
            end_sentence()
        else:
            words.append(row[0])
            tags.extend(row[1:])
    end_sentence()
    if not examples:
        raise XalignError("the file has no sentence", where=path, expected="word TAB tag lines")
    return examples


def read_pos(path: StrPath, language: str) -> list[WordsExample]:
    """Read words and part-of-speech tags from CoNLL-U, which has ten columns, or from ``word TAB tag`` lines."""
    rows = (row for row in read_rows(path) if row.strip() and not row.startswith("#"))
    first = next(rows, "")
    named = Path(unpacked_name(path)).suffix == ".conllu"
    is_conllu = named or first.count("\t") > 1 or _CONLLU.match(first)
    return read_upos(path, language) if is_conllu else read_tagged_words(path, language)


def _has_language(path: StrPath, prefix: str) -> bool:
    """Whether the language is before each word; the first non-empty word decides."""
    words = (row.partition("\t")[0].strip(" ") for row in read_rows(path))
    return next((word.startswith(prefix) for word in words if word not in ("", prefix)), False)


def _rows(path: StrPath, language: str) -> Iterator[list[str] | None]:
    """``[word, tag]`` or ``[word]`` of each line, ``None`` for a blank one."""
    prefix = f"{language}:"
    columns, prefixed = 0, _has_language(path, prefix)
    for number, line in enumerate(read_rows(path), 1):
        row = [each.strip(" ") for each in line.split("\t")]  # no more: some words are unusual spaces
        if not any(row):
            yield None
            continue
        if _COMMENT.match(line):
            problem, expected = "a comment of CoNLL-U is among the words", "word TAB tag, or CoNLL-U in a file .conllu"
            raise XalignError(problem, where=f"{path}, line {number}", found=line, expected=expected)
        if columns == 0:
            if len(row) == 1 and _BLANK_AND_TAG.fullmatch(row[0]):
                problem = "the columns are separated by spaces"
                where = f"{path}, line {number}"
                remedy = f'awk \'{{print (NF ? $1 "\\t" $NF : "")}}\' {path} > FILE (first and last column)'
                raise XalignError(problem, where=where, found=row[0], expected="word TAB tag", remedy=remedy)
            columns = len(row)
        # XTREME's script leaves words empty that held only spaces; their tags count all the same.
        if len(row) != columns or columns > 2 or not row[-1]:
            found = f"{counted(len(row), 'column')}" + ("" if row[-1] else ", the last of them empty")
            expected = "word TAB tag on every line (or a word alone on every line of a file without labels)"
            raise XalignError("a line is malformed", where=f"{path}, line {number}", found=found, expected=expected)
        if prefixed and not row[0].startswith(prefix):
            problem = "a word lacks the language prefix that the file's first word has"
            raise XalignError(problem, where=f"{path}, line {number}", found=row[0], expected=f"{prefix}{row[0]}")
        yield [row[0].removeprefix(prefix), *row[1:]] if prefixed else row
