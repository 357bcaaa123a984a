"""Download a file: resume incomplete downloads, and put the file in place only when it is complete."""

import bz2
import gzip
import http.client
import lzma
import sys
import tarfile
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from common.corpora import Source, total
from xalign_fairseq.core.errors import XalignError, command_line_text, is_disk_error
from xalign_fairseq.core.files import file_sha256

CHUNK = 1 << 20


def fetch_all(sources: Sequence[Source], folder: Path, jobs: int = 1) -> list[Source]:
    """Fetch files in parallel; a failure does not stop the others.

    Prints the total size first, and at the end the missing files and the reasons.
    """
    print(total(sources), file=sys.stderr)

    def one(source: Source) -> str | None:
        print(source, file=sys.stderr)
        try:
            fetch(source.url, source.path(folder), source.home, source.sha256)
        except XalignError as error:
            return command_line_text(error)
        except OSError as error:
            remedy = "fix it, for example by freeing space, then run the same command again to resume"
            problem = "an error of the disk, not of the download"
            return command_line_text(XalignError(problem, where=folder, found=error, remedy=remedy))
        return None

    with ThreadPoolExecutor(jobs) as pool:
        problems = list(pool.map(one, sources))
    missing = [(source, problem) for source, problem in zip(sources, problems, strict=True) if problem is not None]
    for source, problem in missing:
        print(f"missing: {source.path(folder)}\n  {problem}".replace("\n", "\n  "), file=sys.stderr)
    if missing:
        print(f"{len(missing)} of {len(sources)} files are missing", file=sys.stderr)
    return [source for source, _ in missing]


def fetch(url: str, path: Path, home: str, sha256: str | None = None) -> None:
    """Fetch ``url`` to ``path``, unless it exists.

    An incomplete download stays as ``path.part``, and the next call continues it.

    Raises:
        XalignError: the file cannot be downloaded, or is damaged.
        OSError: an error of the disk.
    """
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    whole = _receive(url, part, home)
    if whole is not None and part.stat().st_size != whole:
        raise XalignError(
            "incomplete download",
            where=url,
            found=f"{part.stat().st_size} bytes in {part}",
            expected=f"{whole} bytes",
            remedy="run the same command again to resume",
        )
    if sha256 is not None and (found := file_sha256(part)) != sha256:
        part.unlink()
        raise XalignError(
            "the checksum of a download differs from the published one; the file was removed",
            where=url,
            found=found,
            expected=sha256,
            remedy=f"run the same command again; if it fails again, look for a new release at {home}",
        )
    try:
        check_archive(part, path.name)
    except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error) as error:
        if is_disk_error(error):  # the file may be whole
            raise
        part.unlink()
        raise XalignError(
            "a download is not a complete archive; the file was removed",
            where=url,
            found=error,
            remedy=f"run the same command again; if it fails again, download {path} by hand from {home}",
        ) from error
    part.rename(path)


def _receive(url: str, part: Path, home: str) -> int | None:
    """Append the missing rest to ``part``; return the size of the complete file if the server sends it."""
    begun = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": "xalign_fairseq"} | ({"Range": f"bytes={begun}-"} if begun else {})
    try:
        with _connection(url, part):
            answer = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60)
    except urllib.error.HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and begun:
            size = error.headers["Content-Range"]  # nothing is missing
        else:
            raise XalignError(
                "the server does not have this file",
                where=url,
                found=f"{error.code} {error.reason}",
                remedy=f"look for its new address on {home}, and download it by hand to {part.with_suffix('')}",
            ) from error
    else:
        resumed = answer.status == http.HTTPStatus.PARTIAL_CONTENT  # otherwise the server sends the whole file
        size = answer.headers["Content-Range" if resumed else "Content-Length"]
        with answer, open(part, "ab" if resumed else "wb") as file:
            file.writelines(_blocks(answer, url, part))
    total = size.rpartition("/")[2] if size else ""
    return int(total) if total.isdigit() else None


def _blocks(answer: IO[bytes], url: str, part: Path) -> Iterator[bytes]:
    block = b" "
    while block:
        with _connection(url, part):
            block = answer.read(CHUNK)
        yield block


@contextmanager
def _connection(url: str, part: Path) -> Iterator[None]:
    """Describe connection errors, and distinguish them from disk errors."""
    try:
        yield
    except urllib.error.HTTPError:
        raise
    except (OSError, http.client.HTTPException) as error:  # URLError is an OSError
        raise XalignError(
            "a file cannot be fetched: no network, or the server does not answer",
            where=url,
            found=getattr(error, "reason", error),
            expected=f"a network, or the file at {part.with_suffix('')}",
            remedy="run the same command on a machine with a network, and copy its folder here",
        ) from error


def check_archive(path: Path, name: str) -> None:
    """Read a complete archive and verify its checksums; ``name`` gives the type."""
    if name.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            if broken := archive.testzip():
                raise zipfile.BadZipFile(f"{broken} is corrupted")
        return
    opener = {".gz": gzip.open, ".tgz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}.get(Path(name).suffix)
    if opener is not None:
        with opener(path, "rb") as stream:
            while stream.read(CHUNK):
                pass
