"""CoNLL-U of Universal Dependencies: sentences with their universal tags, and with their trees."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xalign_fairseq.errors import XalignError
from xalign_fairseq.transfer.examples import Tree, TreeExample, WordsExample
from xalign_fairseq.transfer.formats.lines import read_rows


@dataclass
class _Sentence:
    """One sentence's rows of syntactic words and where it starts."""

    id: str
    line: int
    rows: list[list[str]] = field(default_factory=list)

    def column(self, index: int) -> tuple[str, ...]:
        return tuple(row[index] for row in self.rows)


FORM, UPOS, HEAD, DEPREL = 1, 3, 6, 7

# What Universal Dependencies (version 2) allows; a relation may have a subtype after a colon.
_TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
_RELATIONS = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed
    flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp
"""
UPOS_TAGS, UD_RELATIONS = frozenset(_TAGS.split()), frozenset(_RELATIONS.split())


def read_upos(path: str | os.PathLike, language: str) -> list[WordsExample]:
    """Read words and universal part-of-speech tags; the tree is not looked at.

    Words are the syntactic ones: a multi-word token (``1-2``) stands as its words, an empty node (``8.1``) is left
    out, and a word may hold blanks. Tags that are all ``_`` make a sentence unlabelled. The language of a treebank
    (``en_ewt``) is ``en``.

    Raises:
        XalignError: malformed columns or word numbers (file and line).

    Example::

        first = read_upos("en_ewt-ud-dev.conllu.gz", "en")[0]
        first.words, first.tags  # ("From", "the", ...), ("ADP", "DET", ...)
    """
    code = language.partition("_")[0]
    return [WordsExample(each.id, code, each.column(FORM), _labels(each, UPOS, path)) for each in _sentences(path)]


def read_trees(path: str | os.PathLike, language: str) -> list[TreeExample]:
    """Read words, universal tags and trees; a sentence whose heads are all ``_`` is unlabelled.

    Raises:
        XalignError: besides those of :func:`read_upos`, a head that is no word of the sentence, no root or several,
            a cycle (file and line).
    """
    code, examples = language.partition("_")[0], []
    for each in _sentences(path):
        heads, relations = _labels(each, HEAD, path), _labels(each, DEPREL, path)
        if (heads is None) != (relations is None):
            raise XalignError(
                "a sentence has heads without relations, or relations without heads",
                where=f"{path}, line {each.line} (sentence {each.id})",
                expected="columns 7 and 8 both filled, or both _",
            )
        tree = None if heads is None or relations is None else Tree(_heads(each, heads, path), relations)
        examples.append(TreeExample(each.id, code, each.column(FORM), each.column(UPOS), tree))
    return examples


def _sentences(path: str | os.PathLike) -> Iterator[_Sentence]:
    """Sentences one at a time; ``id`` is ``sent_id``, or the sentence's number in the file."""
    count, sentence = 0, _Sentence("1", 1)
    for number, line in enumerate(read_rows(path), 1):
        if not line.strip():
            if sentence.rows:
                count += 1
                yield sentence
            sentence = _Sentence(str(count + 1), number + 1)
        elif line.startswith("#"):
            key, _, value = line[1:].partition("=")
            if key.strip() == "sent_id" and value.strip():
                sentence.id = value.strip()
        else:
            _add_row(sentence, line.split("\t"), f"{path}, line {number}")
    if sentence.rows:
        count += 1
        yield sentence
    if count == 0:
        raise XalignError("the file has no sentence", where=path, expected="CoNLL-U")


def _add_row(sentence: _Sentence, row: list[str], where: str) -> None:
    if len(row) != 10 or not all(row):
        raise XalignError(
            "a line of CoNLL-U does not have its columns",
            where=where,
            found=f"{len(row)} columns" + (", one of them empty" if len(row) == 10 else ""),
            expected="10 columns, separated by tabs, none empty (_ stands for nothing)",
        )
    number, due = row[0], len(sentence.rows) + 1
    if number == str(due):
        sentence.rows.append(row)
        return
    first, mark, last = number.partition("-") if "-" in number else number.partition(".")
    if mark and first.isdecimal() and last.isdecimal() and int(first) == (due if mark == "-" else due - 1):
        return  # a multi-word token before its words, an empty node after a word
    raise XalignError(
        "the words of a sentence are not numbered in order",
        where=where,
        found=number,
        expected=f"{due}" + (" (or is the blank line between two sentences missing?)" if number == "1" else ""),
    )


def _labels(sentence: _Sentence, column: int, path: object) -> tuple[str, ...] | None:
    """A column, or ``None`` where it is all ``_``."""
    labels = sentence.column(column)
    missing = [k for k, label in enumerate(labels, 1) if label == "_"]
    if len(missing) == len(labels):
        return None
    if missing:
        raise XalignError(
            "a sentence is labelled in part",
            where=f"{path}, line {sentence.line} (sentence {sentence.id})",
            found=f"_ in column {column + 1} of {len(missing)} of {len(labels)} words, the first of them {missing[0]}",
            expected="a label for every word or for none",
        )
    return labels


def _heads(sentence: _Sentence, column: Sequence[str], path: object) -> tuple[int, ...]:
    """Heads as numbers that make a tree with one root."""
    where, words = f"{path}, line {sentence.line} (sentence {sentence.id})", len(column)
    for k, text in enumerate(column, 1):
        if not (text.isdecimal() and int(text) <= words):
            raise XalignError(
                "a head is no word of its sentence",
                where=where,
                found=f"head {text} of word {k}",
                expected=f"a number from 0 to {words}",
            )
    heads = tuple(map(int, column))
    roots = [k for k, head in enumerate(heads, 1) if head == 0]
    if len(roots) != 1:
        raise XalignError(
            "a sentence does not have one root",
            where=where,
            found=f"{len(roots)} words with head 0" + (f": {', '.join(map(str, roots))}" if roots else ""),
            expected="one",
        )
    cycle = _cycle(heads)
    if cycle:
        raise XalignError(
            "the heads of a sentence run in a circle",
            where=where,
            found=" -> ".join(map(str, cycle)),
            expected="a tree",
        )
    return heads


def _cycle(heads: Sequence[int]) -> list[int]:
    """Words of one circle, the first of them repeated at the end; empty if there is none."""
    safe = {0}
    for start in range(1, len(heads) + 1):
        path: list[int] = []
        word = start
        while word not in safe:
            if word in path:
                return [*path[path.index(word) :], word]
            path.append(word)
            word = heads[word - 1]
        safe.update(path)
    return []
