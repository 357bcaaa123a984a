"""Check that the files of a data-bin are those that ``xalign prepare`` wrote."""

import math
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import file_sha256, is_file_name
from xalign_fairseq.data.databin import MANIFEST, DataBin

# Files below this size are hashed in no time; dictionary and tokenizer are (XLM-R's: 5 MB each).
SMALL = 1 << 25


def changed_files(data: DataBin, whole: bool = True, contents: bool = True) -> list[str]:
    """The files that are missing or differ from the manifest, each with its fault, sorted by name.

    Files that the manifest does not name, such as lexicons, are left out; a folder without a manifest has none.

    Args:
        data: the data-bin.
        whole: compare the sha256 of every file; otherwise of the small ones, and only the size of the others.
        contents: without ``whole``, hash small files; otherwise compare sizes only and read nothing.
    """

    largest = math.inf if whole else SMALL if contents else -1

    def difference(recorded: tuple[str, int, str]) -> str | None:
        name, size, sha256 = recorded
        return _difference(data.path / name, size, sha256 if size <= largest else None)

    if largest < 0:
        return sorted(filter(None, map(difference, _recorded(data))))
    with ThreadPoolExecutor(4) as pool:  # hashing releases the interpreter's lock
        return sorted(filter(None, pool.map(difference, _recorded(data))))


def require_unchanged(data: DataBin, whole: bool = False, contents: bool = True) -> None:
    """:class:`XalignError` that names the files unless :func:`changed_files` finds none.

    ``whole`` without a manifest is an error, because nothing could be compared.
    """
    if whole and data.manifest is None:
        raise XalignError(
            "the data-bin has no manifest to verify its files by",
            where=data.path,
            expected=f"{MANIFEST}, which the command prepare writes",
            remedy=("prepare the data again, or leave out", Parameter("verify_data"), "and run", Command("doctor")),
        )
    changed = changed_files(data, whole, contents)
    if changed:
        raise XalignError(
            "files of the data-bin are not those that were prepared",
            where=data.path,
            found="; ".join(changed[:5]) + (f"; {len(changed) - 5} more" if len(changed) > 5 else ""),
            expected=f"the sizes and hashes in {MANIFEST}",
            remedy=("copy them, or prepare the data again; all are checked by", Command("doctor", str(data.path))),
        )


def _recorded(data: DataBin) -> Iterator[tuple[str, int, str]]:
    for name, about in data.manifest.get("files", {}).items() if data.manifest else ():
        if not is_file_name(name):
            raise XalignError(
                "the data-bin's manifest is damaged",
                where=data.path / MANIFEST,
                found=f"a file {name!r}",
                expected="names of files next to it",
                remedy="copy it again, or prepare the data again",
            )
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
        return f"{path.name} has another content"
    return None
