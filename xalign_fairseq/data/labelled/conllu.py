"""CoNLL-U of Universal Dependencies: sentences with their universal tags, and with their trees."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import groupby

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.compressed import unpacked_name
from xalign_fairseq.data.labelled.examples import Tree, TreeExample, WordsExample, read_blocks, read_rows


@dataclass
class ConlluSentence:
    """One sentence of a CoNLL-U file."""

    id: str  # sent_id, or the sentence's number in the file
    path: StrPath
    line: int  # first line in the file
    rows: list[list[str]] = field(default_factory=list)  # the ten columns of each syntactic word
    comments: list[str] = field(default_factory=list)
    ranges: list[tuple[int, list[str]]] = field(default_factory=list)  # multi-word tokens, with the rows before each
    empty: int = 0  # number of empty nodes (8.1), which have no row

    @property
    def where(self) -> str:
        """File, line and id, for errors."""
        return f"{self.path}, line {self.line} (sentence {self.id})"

    def column(self, index: int) -> tuple[str, ...]:
        """A column of all words, such as ``FORM``."""
        return tuple(row[index] for row in self.rows)

    def tree(self) -> Tree | None:
        """Heads and relations; ``None`` if all are ``_``."""
        heads, relations = _labels(self, HEAD), _labels(self, DEPREL)
        if (heads is None) != (relations is None):
            problem = "a sentence has heads (column 7) without relations (column 8), or relations without heads"
            raise XalignError(problem, where=self.where)
        return None if heads is None or relations is None else Tree(_heads(self, heads), relations)


FORM, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS = 1, 3, 4, 5, 6, 7, 8

# What Universal Dependencies (version 2) allows; a relation may have a subtype after a colon.
_TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
_RELATIONS = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed
    flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp
"""
UPOS_TAGS, UD_RELATIONS = frozenset(_TAGS.split()), frozenset(_RELATIONS.split())


def is_named_conllu(path: StrPath) -> bool:
    """Whether a file, compressed or not, is CoNLL-U by its name."""
    return unpacked_name(path).lower().endswith(".conllu")


def read_upos(path: StrPath, language: str) -> list[WordsExample]:
    """Read words and universal part-of-speech tags; the tree is ignored.

    Words are the syntactic ones: a multi-word token (``1-2``) becomes its words, an empty node (``8.1``) is left
    out, and a word may contain spaces. Tags that are all ``_`` make a sentence unlabelled. The language of a treebank
    (``en_ewt``) is ``en``.
    """
    code = language.partition("_")[0]
    return [WordsExample(each.id, code, each.column(FORM), _labels(each, UPOS)) for each in read_sentences(path)]


def read_trees(path: StrPath, language: str) -> list[TreeExample]:
    """Read words, universal tags and trees; a sentence whose heads are all ``_`` is unlabelled."""
    code = language.partition("_")[0]
    return [
        TreeExample(each.id, code, each.column(FORM), each.column(UPOS), each.tree()) for each in read_sentences(path)
    ]


def read_sentences(path: StrPath) -> Iterator[ConlluSentence]:
    """Read sentences one at a time; their trees are not checked."""
    count = 0
    for first, lines in read_blocks(path):
        sentence = parse_sentence(lines, path, first, str(count + 1))
        if sentence.rows:
            count += 1
            yield sentence
    if count == 0:
        raise XalignError("the file has no sentence", where=path, expected="CoNLL-U")


def parse_sentence(lines: Sequence[str], path: StrPath, first: int, id: str) -> ConlluSentence:
    """The sentence in lines that begin at this place; it has no rows if all lines are comments."""
    sentence = ConlluSentence(id, path, first)
    for number, line in enumerate(lines, first):
        if line.startswith("#"):
            sentence.comments.append(line)
            key, _, value = line[1:].partition("=")
            if key.strip() == "sent_id" and value.strip():
                sentence.id = value.strip()
        else:
            _add_row(sentence, line.split("\t"), f"{path}, line {number}")
    return sentence


def _add_row(sentence: ConlluSentence, row: list[str], where: str) -> None:
    if len(row) != 10 or not all(row):
        expected = "10 columns, separated by tabs, none empty (_ stands for nothing)"
        raise XalignError("a line of CoNLL-U has wrong columns", where=where, expected=expected)
    number, due = row[0], len(sentence.rows) + 1
    if number == str(due):
        sentence.rows.append(row)
        return
    first, mark, last = number.partition("-") if "-" in number else number.partition(".")
    if mark and _is_number(first) and _is_number(last) and int(first) == (due if mark == "-" else due - 1):
        if mark == "-":  # before its words
            sentence.ranges.append((due - 1, row))
        sentence.empty += mark == "."  # after a word
        return
    expected = f"{due}" + (" (or is the blank line between two sentences missing?)" if number == "1" else "")
    raise XalignError("the words of a sentence are not numbered in order", where=where, found=number, expected=expected)


def _labels(sentence: ConlluSentence, column: int) -> tuple[str, ...] | None:
    """A column; ``None`` if all its cells are ``_``."""
    labels = sentence.column(column)
    missing = [k for k, label in enumerate(labels, 1) if label == "_"]
    if len(missing) == len(labels):
        return None
    if missing:
        found = f"{len(missing)} of {len(labels)} words without column {column + 1}, the first is {missing[0]}"
        raise XalignError("a sentence is partly labelled", where=sentence.where, found=found)
    return labels


def _heads(sentence: ConlluSentence, column: Sequence[str]) -> tuple[int, ...]:
    """Heads as numbers that make a tree with one root."""
    where, words = sentence.where, len(column)
    for k, text in enumerate(column, 1):
        if not (_is_number(text) and int(text) <= words):
            found = f"head {text} of word {k}"
            raise XalignError("a head is not a word of its sentence", where=where, found=found)
    heads = tuple(map(int, column))
    roots = [k for k, head in enumerate(heads, 1) if head == 0]
    if len(roots) != 1:
        found = ", ".join(map(str, roots)) or "none"
        raise XalignError("a sentence does not have one root", where=where, found=found)
    try:
        TopologicalSorter({k: (head,) for k, head in enumerate(heads, 1)}).prepare()
    except CycleError as error:
        found = " -> ".join(map(str, reversed(error.args[1])))
        raise XalignError("the heads of a sentence form a cycle", where=where, found=found) from None
    return heads


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 10  # Python refuses to convert very long rows of digits


_CONLLU = re.compile(r"1(-\d+)?( +\S+){7,}")  # separated by spaces: a separate error
_COMMENT = re.compile(r"# (sent_id|text|newdoc|newpar)\b[^\t]*$")
_BLANK_AND_TAG = re.compile(r".* (O|[BIESLU]-\S+|[A-Z]{1,5})")  # as in CoNLL-2003's files


def read_tagged_words(path: StrPath, language: str) -> list[WordsExample]:
    """Read ``word TAB tag`` lines, or ``word`` lines of a file without labels.

    The first line determines the form. WikiAnn's files have the language before each word, even an empty one
    (``en:Paris TAB B-LOC``); the reader removes it. Sentences are numbered from 1.
    """
    examples: list[WordsExample] = []
    for filled, rows in groupby(_rows(path, language), bool):
        if filled:
            words, *tags = zip(*rows, strict=True)
            examples.append(WordsExample(str(len(examples) + 1), language, words, tags[0] if tags else None))
    if not examples:
        raise XalignError("the file has no sentence", where=path, expected="word TAB tag lines")
    return examples


def read_pos(path: StrPath, language: str) -> list[WordsExample]:
    """Read words and part-of-speech tags from CoNLL-U, which has ten columns, or from ``word TAB tag`` lines."""
    rows = (row for row in read_rows(path) if row.strip() and not row.startswith("#"))
    first = next(rows, "")
    is_conllu = is_named_conllu(path) or first.count("\t") > 1 or _CONLLU.match(first)
    return read_upos(path, language) if is_conllu else read_tagged_words(path, language)


def _rows(path: StrPath, language: str) -> Iterator[list[str]]:
    """``[word, tag]`` or ``[word]`` of each line, empty for a blank one."""
    prefix, columns = f"{language}:", 0
    words = (row.partition("\t")[0].strip(" ") for row in read_rows(path))
    # The first non-empty word shows whether the language is before each word.
    prefixed = next((word.startswith(prefix) for word in words if word not in ("", prefix)), False)
    for number, line in enumerate(read_rows(path), 1):
        row = [each.strip(" ") for each in line.split("\t")]  # only plain spaces: some words are unusual spaces
        if not any(row):
            yield []
            continue
        if _COMMENT.match(line):
            problem, where = "a comment of CoNLL-U is among the words", f"{path}, line {number}"
            raise XalignError(problem, where=where, found=line, remedy="name the file .conllu, if it is CoNLL-U")
        if columns == 0:
            if len(row) == 1 and _BLANK_AND_TAG.fullmatch(row[0]):
                problem, where = "the columns are separated by spaces", f"{path}, line {number}"
                remedy = f'awk \'{{print (NF ? $1 "\\t" $NF : "")}}\' {path} > FILE (first and last column)'
                raise XalignError(problem, where=where, found=row[0], remedy=remedy)
            columns = len(row)
        # XTREME's script empties words of only spaces; their tags still count.
        if len(row) != columns or columns > 2 or not row[-1]:
            where, found = f"{path}, line {number}", f"{counted(len(row), 'column')}"
            expected = "word TAB tag on every line, or a word alone on every line"
            raise XalignError("a line is malformed", where=where, found=found, expected=expected)
        if prefixed and not row[0].startswith(prefix):
            problem = "a word lacks the language prefix that the file's first word has"
            raise XalignError(problem, where=f"{path}, line {number}", found=row[0], expected=f"{prefix}{row[0]}")
        yield [row[0].removeprefix(prefix), *row[1:]] if prefixed else row
