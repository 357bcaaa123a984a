"""Data-bins that are read as one text, one folder per epoch, up to thousands of folders.

The checks:

- **At the start**, each folder once: its file names, its manifest, the size of each file (one ``stat``) and the
  dictionary in the manifest. Of later folders only the manifest is opened, so 2,000 folders with XLM-R's dictionary and
  model, 20 GB in all, open in seconds. Without a manifest (fairseq-preprocess), the texts are opened.
- **At the beginning of a folder's epoch**: the hashes of its small files, including dictionary and tokenizer, and the
  headers of the indices. The first folder is checked in this way immediately, because all share its dictionary.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypedDict

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import StrPath, file_sha256, is_file_name
from xalign_fairseq.data.databin import DICTIONARY, MANIFEST, DataBin

# Files below this size are hashed quickly; they include dictionary and tokenizer (XLM-R's: 5 MB each).
SMALL = 1 << 25


def changed_files(data: DataBin, contents: bool = True) -> list[str]:
    """The files that are missing or differ from the manifest, sorted by name, each with the reason.

    Sizes are compared; with ``contents`` also the sha256 of small files.
    """

    def difference(recorded: tuple[str, int, str]) -> str | None:
        name, size, sha256 = recorded
        return _difference(data.path / name, size, sha256 if contents and size <= SMALL else None)

    if not contents:
        return sorted(filter(None, map(difference, _recorded(data))))
    with ThreadPoolExecutor(4) as pool:  # hashing releases the interpreter's lock
        return sorted(filter(None, pool.map(difference, _recorded(data))))


def require_unchanged(data: DataBin, contents: bool = True) -> None:
    """Raise :class:`XalignError` with the files of :func:`changed_files`."""
    if changed := changed_files(data, contents):
        found = "; ".join(changed[:5]) + (f"; {len(changed) - 5} more" if len(changed) > 5 else "")
        problem = "files of the data-bin have changed since they were prepared"
        raise XalignError(problem, where=data.path, found=found, remedy="copy them, or prepare the data again")


def _recorded(data: DataBin) -> Iterator[tuple[str, int, str]]:
    for name, about in data.manifest.get("files", {}).items() if data.manifest else ():
        if not is_file_name(name):
            raise XalignError("the data-bin's manifest is damaged", where=data.path / MANIFEST, found=repr(name))
        yield name, about["bytes"], about["sha256"]


def _difference(path: Path, size: int, sha256: str | None) -> str | None:
    try:
        about = path.stat()
    except OSError:
        return f"{path.name} is missing"
    if not stat.S_ISREG(about.st_mode):
        return f"{path.name} is missing"
    if about.st_size != size:
        return f"{path.name} has {about.st_size:,} bytes rather than {size:,}"
    if sha256 is not None and file_sha256(path) != sha256:
        return f"{path.name} has different content"
    return None


THREADS = 16  # a network file system answers slowly, but many requests at a time


class Texts(NamedTuple):
    """A folder's bitexts ``(split, src, tgt)``, monolingual texts ``(split, lang)``, and bitexts with word links."""

    pairs: list[tuple[str, str, str]]
    monos: list[tuple[str, str]]
    linked: set[tuple[str, str, str]]


class ShardPlace(TypedDict):
    """The folder of an epoch, and how often each folder was read before."""

    epoch: int
    index: int
    visits: list[int]


class Shards:
    """Data-bin folders, read in turn, one per training epoch.

    The dictionary and all splits except training come from the ``first``.
    """

    def __init__(self, folders: Sequence[StrPath]):
        self.folders = [os.fspath(folder) for folder in folders]
        self._since, self._before = (1, 0), [0] * len(self.folders)
        self.first = DataBin(self.folders[0])
        require_unchanged(self.first)
        with ThreadPoolExecutor(THREADS) as pool:
            others = list(pool.map(self._texts_of, self.folders[1:]))
        self.texts = [Texts(self.first.pairs, self.first.monos, self.first.linked), *others]

    def _texts_of(self, folder: str) -> Texts:
        """The texts of a later folder, after the checks of the start."""
        data = DataBin(folder)
        require_unchanged(data, contents=False)
        if data.manifest is None:
            for pair in data.pairs:
                data.links(*pair)
            for text in data.monos:
                data.mono(*text)
        recorded = None if data.manifest is None else data.manifest.get("tokenizer", {}).get("digest")
        if recorded is None or recorded != self.first.dictionary.digest:
            require_same_dictionary(self.first, data)
        return Texts(data.pairs, data.monos, data.linked)

    def index(self, epoch: int) -> int:
        """The folder that an epoch (from 1) reads, in turn."""
        since, index = self._since if epoch >= self._since[0] else (1, 0)
        return (index + epoch - since) % len(self.folders)

    def visits(self, epoch: int) -> list[int]:
        """How often each folder was read before an epoch."""
        since, before, every = self._since, self._before, len(self.folders)
        if epoch < since[0]:
            since, before = (1, 0), [0] * every
        firsts = [since[0] + (folder - since[1]) % every for folder in range(every)]
        return [old + len(range(first, epoch, every)) for old, first in zip(before, firsts, strict=True)]

    def visit(self, epoch: int) -> int:
        """How often an epoch's folder was read before; its draws continue from there."""
        return self.visits(epoch)[self.index(epoch)]

    def place(self, epoch: int) -> ShardPlace:
        """The state for :meth:`go_on`."""
        return ShardPlace(epoch=epoch, index=self.index(epoch), visits=self.visits(epoch))

    def go_on(self, epoch: int, index: int, visits: Sequence[int]) -> None:
        """Resume: ``epoch`` reads the folder with number ``index``; later epochs read the following folders.

        Folders may have been added at the end. The interrupted epoch still finishes in its own folder. All new folders
        are read before the first folder is read again.
        """
        every = len(self.folders)
        self._since, self._before = (epoch, index), [*visits, *[0] * every][:every]

    def of_epoch(self, epoch: int) -> DataBin:
        """The folder of an epoch, checked again."""
        index = self.index(epoch)
        data = DataBin(self.folders[index])
        if index:
            require_unchanged(data)
            require_same_dictionary(self.first, data)
        return data


def require_same_dictionary(first: DataBin, other: DataBin) -> None:
    """Raise :class:`XalignError` unless two shards have the same ids."""
    ours, theirs = (data.path / DICTIONARY for data in (first, other))
    if ours.is_file() and theirs.is_file() and ours.read_bytes() == theirs.read_bytes():
        return  # the usual case; reading XLM-R's symbols takes 0.25 s, for possibly 2,000 shards
    if first.dictionary.digest != other.dictionary.digest:
        where = f"{first.path}, {other.path}"
        remedy = Command("prepare", Parameter("tokenizer", "MODEL"))
        raise XalignError("the shards have different dictionaries", where=where, remedy=("prepare all by", remedy))
