"""Dictionary files into a data-bin, as a lexicon of subword ids."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import file_sha256, nearly
from xalign_fairseq.core.version import __version__
from xalign_fairseq.data import lexicon as lexicons
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.languages.lexicons.building import LexiconOptions, build, pieces_encoder
from xalign_fairseq.languages.lexicons.formats import format_of, read_entries


@dataclass(frozen=True)
class AddedLexicon:
    """A lexicon to add to a data-bin.

    Attributes:
        format: of all of them; ``auto`` goes by each name and its first line.
        pieces: entries are symbols of the dictionary, not text for the tokenizer.
    """

    data: str | os.PathLike
    pair: tuple[str, str]
    files: Sequence[str]
    format: str = "auto"
    pieces: bool = False
    options: LexiconOptions = field(default_factory=LexiconOptions)
    overwrite: bool = False

    def add(self, progress: Callable[[int], object] = lambda entries: None) -> tuple[Path, dict[str, int]]:
        """Read, encode, divide and write; the path of the description, and what was read, dropped and kept.

        Raises:
            XalignError: a language that the data-bin lacks, a lexicon that may not be replaced, a damaged dictionary.
        """
        data, (src, tgt) = DataBin(self.data), self.pair
        lexicons.require_languages(data, src, tgt)
        lexicons.check_free(data, src, tgt, self.overwrite)
        encode = pieces_encoder(data.dictionary) if self.pieces else data.tokenizer.encode_batch
        sources = [self._source(path) for path in self.files]
        lexicon, about = build(src, tgt, self._entries(progress), encode, data.dictionary, self.options)
        about = {"xalign_fairseq": __version__, "sources": sources, "pieces": self.pieces, **about}
        lexicons.write(data, lexicon, about, self.overwrite)
        return lexicons.about_path(data, src, tgt), about["counts"]

    def _source(self, path: str) -> dict[str, Any]:
        """Name, format and sha256 of a dictionary."""
        if not os.path.isfile(path):
            raise XalignError("the dictionary does not exist", where=path, found=nearly(path))
        kind = format_of(path) if self.format == "auto" else self.format
        return {"file": path, "format": kind, "sha256": file_sha256(Path(path))}

    def _entries(self, progress: Callable[[int], object]) -> Iterator[tuple[str, str]]:
        for path in self.files:
            for entry in read_entries(path, self.format):
                progress(1)
                yield entry
