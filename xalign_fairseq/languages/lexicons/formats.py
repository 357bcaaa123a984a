"""The format of a dictionary file, and its entries as pairs of text."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.languages.lexicons import tei

FORMATS = ("tsv", "muse", "tei")

# A headword and one translation of it; either may be empty.
TextPair: TypeAlias = tuple[str, str]


def read_entries(path: StrPath, kind: str = "auto") -> Iterator[TextPair]:
    """The entries of a dictionary file in their order, a headword with several translations once for each.

    Args:
        path: ``tsv``: lines of ``headword TAB translation``, further columns are not read. ``muse``: lines of two words
            with white space between them. ``tei``: :func:`tei.read`.
        kind: one of :data:`FORMATS`, or ``auto``: :func:`format_of`.

    Raises:
        XalignError: a missing or empty file, or one that is not of the format; file and line are named.

    Example::

        list(read_entries("en-de.txt"))  # [("house", "Haus"), ("house", "Gebäude"), ...]
    """
    kind = format_of(path) if kind == "auto" else kind
    return {"tsv": _read_tsv, "muse": _read_muse, "tei": tei.read}[kind](path)


def format_of(path: StrPath) -> str:
    """The format by the file's name, and for text without a telling name by its first line: ``tsv`` if it has a TAB."""
    if Path(path).name.lower().endswith(tei.SUFFIXES):
        return "tei"
    return "tsv" if "\t" in next(read_lines(path, table=True)) else "muse"


def _read_tsv(path: StrPath) -> Iterator[TextPair]:
    for line in read_lines(path, table=True):
        if line.strip():
            headword, _, rest = line.partition("\t")
            yield headword, rest.partition("\t")[0]


def _read_muse(path: StrPath) -> Iterator[TextPair]:
    for number, line in enumerate(read_lines(path, table=True), 1):
        words = line.split()
        if len(words) > 2:
            raise XalignError(
                "the line has more than a word and its translation",
                where=f"{os.fspath(path)}, line {number}",
                found=line,
                expected="two words with white space between them",
                remedy=("write entries of several words as headword TAB translation, with", Parameter("format", "tsv")),
            )
        if words:
            yield words[0], words[1] if len(words) == 2 else ""
