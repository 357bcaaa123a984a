"""Add dictionary files to a data-bin, as a lexicon of subword ids."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import StrPath, file_sha256, require_free
from xalign_fairseq.core.progress import progress
from xalign_fairseq.core.text.lines import read_lines, require_file
from xalign_fairseq.core.version import __version__
from xalign_fairseq.data import lexicon as lexicons
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.languages.lexicons import tei
from xalign_fairseq.languages.lexicons.building import LexiconOptions, build, pieces_encoder

FORMATS = ("tsv", "muse", "tei")

# A headword and one translation of it; either may be empty.
TextPair: TypeAlias = tuple[str, str]


def read_entries(path: StrPath, kind: str = "auto") -> Iterator[TextPair]:
    """The (headword, translation) pairs of a dictionary file, in order, by a format or ``auto`` (:func:`format_of`).

    ``tsv``: lines of ``headword TAB translation``, further columns are ignored; ``muse``: lines of two words; ``tei``.

    Raises:
        XalignError: a file is missing, empty or not of the format; the error has file and line.
    """
    return {"tsv": _read_tsv, "muse": _read_muse, "tei": tei.read}[format_of(path, kind)](path)


def format_of(path: StrPath, kind: str = "auto") -> str:
    """The format of an existing file; ``auto``: by its name, for other names ``tsv`` if the first line has a TAB."""
    require_file(path)
    if kind != "auto":
        return kind
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
            where, remedy = f"{path}, line {number}", ("for entries of several words, set", Parameter("format", "tsv"))
            raise XalignError("the line has more than two words", where=where, found=line, remedy=remedy)
        if words:
            yield words[0], words[1] if len(words) == 2 else ""


@dataclass(frozen=True)
class AddedLexicon:
    """A lexicon to add to a data-bin.

    Attributes:
        format: format of all files; ``auto``: by each name and first line.
        pieces: entries are symbols of the dictionary, not text for the tokenizer.
    """

    data: str | os.PathLike
    pair: tuple[str, str]
    files: Sequence[str]
    format: str = "auto"
    pieces: bool = False
    options: LexiconOptions = field(default_factory=LexiconOptions)
    overwrite: bool = False
    quiet: bool = False

    def add(self) -> tuple[Path, dict[str, int]]:
        """Read, encode, split and write; returns the description's path, and counts of dropped and kept entries."""
        data, (src, tgt) = DataBin(self.data), self.pair
        lexicons.require_languages(data, src, tgt)
        require_free(lexicons.about_path(data, src, tgt), overwrite=self.overwrite)
        encode = pieces_encoder(data.dictionary) if self.pieces else data.tokenizer.encode_batch
        sources = [self._source(path) for path in self.files]
        entries = (entry for source in sources for entry in read_entries(source["file"], source["format"]))
        entries = progress(entries, unit=" entries", quiet=self.quiet)
        lexicon, about = build(src, tgt, entries, encode, data.dictionary, self.options)
        about = {"xalign_fairseq": __version__, "sources": sources, "pieces": self.pieces, **about}
        lexicons.write(data, lexicon, about, self.overwrite)
        return lexicons.about_path(data, src, tgt), about["counts"]

    def _source(self, path: str) -> dict[str, Any]:
        """Name, format and sha256 of a dictionary."""
        return {"file": path, "format": format_of(path, self.format), "sha256": file_sha256(Path(path))}
