"""Data-bins that are read as one text: of 2,000 folders as of one, an epoch each.

What is looked at when:

- **When they are opened**, each folder once: the names of its files, its manifest, the size of each file (one ``stat``)
  and which dictionary the manifest says it was prepared with. No file of a later folder is opened but the manifest, so
  that 2,000 folders with XLM-R's dictionary and model, of 20 GB together, open in seconds.
- **When the epoch of a folder begins**: the hashes of its small files, dictionary and tokenizer among them, and the
  headers of the indices. The first folder, whose dictionary is that of all, is looked at in this way at once.
- **All bytes**: by ``verify`` (``--verify-data``), or ``xalign doctor FOLDER``.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypedDict

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.databin import DICTIONARY, DataBin
from xalign_fairseq.data.verification import require_unchanged

THREADS = 16  # a file system of many machines answers late, but many at a time


class Texts(NamedTuple):
    """The content of a folder: ``(split, src, tgt)`` of its bitexts and ``(split, lang)`` of its monolingual texts."""

    pairs: list[tuple[str, str, str]]
    monos: list[tuple[str, str]]


class ShardPlace(TypedDict):
    """The folder of an epoch, and how often each folder was read before."""

    epoch: int
    index: int
    visits: list[int]


class Shards:
    """Folders of data-bins; each training epoch reads one, in turn.

    Args:
        verify: compare all bytes of all folders with their manifests.

    Attributes:
        first: the first folder, whose splits but training's are read, and whose dictionary all have.
        texts: of each folder.
    """

    def __init__(self, folders: Sequence[StrPath], verify: bool = False):
        self.folders = [os.fspath(folder) for folder in folders]
        self._since, self._before = (1, 0), [0] * len(self.folders)
        self.first = DataBin(self.folders[0])
        require_unchanged(self.first, verify)
        with ThreadPoolExecutor(THREADS) as pool:
            others = list(pool.map(lambda folder: self._look_at(folder, verify), self.folders[1:]))
        self.texts = [Texts(self.first.pairs, self.first.monos), *others]

    def _look_at(self, folder: str, verify: bool) -> Texts:
        data = DataBin(folder)
        require_unchanged(data, verify, contents=False)
        recorded = None if data.manifest is None else data.manifest.get("tokenizer", {}).get("digest")
        if recorded is None or recorded != self.first.dictionary.digest:
            require_same_dictionary(self.first, data)
        return Texts(data.pairs, data.monos)

    def index(self, epoch: int) -> int:
        """The folder that an epoch (from 1) reads: one after the other, then again from the first."""
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
        """How often the folder of an epoch was read before; its texts continue there."""
        return self.visits(epoch)[self.index(epoch)]

    def place(self, epoch: int) -> ShardPlace:
        """The state for :meth:`go_on`."""
        return ShardPlace(epoch=epoch, index=self.index(epoch), visits=self.visits(epoch))

    def go_on(self, epoch: int, index: int, visits: Sequence[int]) -> None:
        """Let an epoch read a folder, and later epochs the following folders.

        A run that resumes with additional folders ends its epoch with the folder of its start; new shards follow the
        last old one, before the first is read again.
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
    """Raise :class:`XalignError` unless two shards give the same ids."""
    ours, theirs = (data.path / DICTIONARY for data in (first, other))
    if ours.is_file() and theirs.is_file() and ours.read_bytes() == theirs.read_bytes():
        return  # most often; to read the symbols of XLM-R's takes a quarter of a second, and there may be 2,000 shards
    if first.dictionary.digest != other.dictionary.digest:
        raise XalignError(
            "the shards have different dictionaries",
            where=f"{first.path}, {other.path}",
            found=f"{len(first.dictionary)} and {len(other.dictionary)} symbols",
            expected="one dictionary for all",
            remedy=("prepare all shards with one tokenizer:", Command("prepare", Parameter("tokenizer", "MODEL"))),
        )
