"""The progress of an unfinished data-bin, from which an interrupted run resumes.

A journal next to the unfinished files has their texts and options, and for each text the number of written chunks and
bytes. It is written at intervals, after the files. A resumed run cuts off later bytes, so the finished folder equals
that of an uninterrupted run.
"""

import hashlib
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypedDict

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.text.containers import file_of
from xalign_fairseq.core.version import __version__
from xalign_fairseq.data.mmap import MMapWriter, bin_path, sizes_path
from xalign_fairseq.data.prepare.sources import PrepareOptions
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer

JOURNAL = ".unfinished.json"
SECONDS = 20.0  # seconds between two entries
# Options that do not change the result.
_IRRELEVANT = ("destdir", "workers", "overwrite", "resume", "quiet")


class _Entry(TypedDict):
    parts: int
    done: bool
    counts: dict[str, int]
    places: dict[str, list[int]]


class _Journal(TypedDict):
    of: str
    texts: dict[str, _Entry]


@dataclass
class TextProgress:
    """The progress of a text: chunks, their counts, and for each output the bytes of ``.bin`` and ``.sizes``."""

    name: str
    parts: int = 0
    done: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)

    def place(self, output: str) -> tuple[int, int]:
        return self.places.get(output, (0, 0))


class PrepareProgress:
    """The journal of an unfinished folder; removes the folder's files of other texts or options.

    ``of`` is the :func:`fingerprint` of this run; None: no journal. ``started``: tokenizer and dictionary are written.
    """

    def __init__(self, folder: Path, of: str | None):
        self._folder, self._of = folder, of
        self._texts: dict[str, _Entry] = {}
        self._noted = time.monotonic()
        self.started = False
        if of is None:
            return
        try:
            found = read_json(folder / JOURNAL, _Journal)
            self.started = found["of"] == of
        except XalignError:
            pass
        if self.started:
            self._texts = found["texts"]
            return
        self.remove_others(())

    def begin(self) -> None:
        self.started = True
        self._write()

    def of(self, name: str) -> TextProgress:
        """The progress of a text; from the beginning if its files do not match the journal."""
        entry = self._texts.get(name)
        if entry is None:
            return TextProgress(name)
        places = {output: (first, second) for output, (first, second) in entry["places"].items()}
        if not entry["done"] and not all(self._reaches(output, *place) for output, place in places.items()):
            return TextProgress(name)
        return TextProgress(name, entry["parts"], entry["done"], Counter(entry["counts"]), places)

    def _reaches(self, output: str, first: int, second: int) -> bool:
        files = ((bin_path(self._folder / output), first), (sizes_path(self._folder / output), second))
        return all(path.is_file() and path.stat().st_size >= size for path, size in files)

    def note(self, state: TextProgress, writers: Sequence[MMapWriter]) -> None:
        """Record the number of written chunks, at intervals."""
        if self._of is None or time.monotonic() - self._noted < SECONDS:
            return
        state.places = {os.path.basename(writer.prefix): writer.place() for writer in writers}
        self._put(state)
        self._noted = time.monotonic()

    def finish(self, state: TextProgress) -> None:
        """Record that a text's files are complete."""
        state.done, state.places = True, {}
        self._put(state)

    def remove_others(self, names: Collection[str]) -> None:
        """Remove everything in the folder except these names."""
        for path in self._folder.iterdir():
            if path.name not in names:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _put(self, state: TextProgress) -> None:
        places = {name: list(place) for name, place in state.places.items()}
        self._texts[state.name] = _Entry(parts=state.parts, done=state.done, counts=dict(state.counts), places=places)
        self._write()

    def _write(self) -> None:
        if self._of is not None:
            write_json(self._folder / JOURNAL, {"of": self._of, "texts": self._texts})


def fingerprint(options: PrepareOptions, tokenizer: Tokenizer | None) -> str:
    """The inputs of a data-bin: options, sizes and times of the files, the tokenizer."""
    files = [[about.st_size, about.st_mtime_ns] for about in map(os.stat, map(file_of, options.inputs))]
    given = {name: value for name, value in asdict(options).items() if name not in _IRRELEVANT}
    digest = None if tokenizer is None else tokenizer.dictionary.digest
    content = json.dumps([__version__, given, files, digest], default=os.fspath, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()
