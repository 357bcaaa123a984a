"""Fetch a file of the web: resumed where it was cut off, and in its place only once it is whole."""

import gzip
import http.client
import lzma
import shutil
import tarfile
import urllib.error
import urllib.request
import zipfile
import zlib
from pathlib import Path

from xalign_fairseq.core.errors import XalignError

CHUNK = 1 << 20


def fetch(url: str, path: Path, home: str) -> None:
    """Fetch ``url`` to ``path``; what is there already stays.

    A file that is cut off waits as ``path.part`` and is continued by the next call.

    Args:
        url: http or https.
        path: ends as an archive does (.zip, .gz, .tgz, .xz), or its size alone is checked.
        home: the page of the data set, for errors.

    Raises:
        XalignError: no network, no such file, or less than the server has.

    Example::

        fetch("https://data.statmt.org/cc-100/sw.txt.xz", Path("sw.txt.xz"), "https://data.statmt.org/cc-100/")
    """
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    whole = _receive(url, part, home)
    if whole is not None and part.stat().st_size != whole:
        raise XalignError(
            "a file did not arrive whole",
            where=url,
            found=f"{part.stat().st_size} bytes in {part}",
            expected=f"{whole} bytes",
            remedy="run the same command again: it goes on where this one stopped",
        )
    try:
        check_archive(part, path.name)
    except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error) as error:
        part.unlink()
        raise XalignError(
            "a file that was fetched is no whole archive and was removed",
            where=url,
            found=error,
            remedy=f"run the same command again; if it stays so, fetch it from {home} by hand to {path}",
        ) from error
    part.rename(path)


def _receive(url: str, part: Path, home: str) -> int | None:
    """Append to ``part`` what is missing; gives the size of the whole file where the server tells it."""
    begun = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": "xalign_fairseq"} | ({"Range": f"bytes={begun}-"} if begun else {})
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
            resumed = answer.status == http.HTTPStatus.PARTIAL_CONTENT  # else the server sends it from the start
            size = answer.headers["Content-Range" if resumed else "Content-Length"]
            with open(part, "ab" if resumed else "wb") as file:
                shutil.copyfileobj(answer, file, CHUNK)
    except urllib.error.HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and begun:
            size = error.headers["Content-Range"]  # nothing is missing
        else:
            raise XalignError(
                "the server has no such file for us",
                where=url,
                found=f"{error.code} {error.reason}",
                remedy=f"look for its present address on {home}, and fetch it by hand to {part.with_suffix('')}",
            ) from error
    except (OSError, http.client.HTTPException) as error:  # URLError is an OSError
        raise XalignError(
            "a file cannot be fetched: no network, or the server does not answer",
            where=url,
            found=getattr(error, "reason", error),
            expected=f"a network, or the file at {part.with_suffix('')}",
            remedy="run the same command where there is a network, and copy its folder here",
        ) from error
    total = size.rpartition("/")[2] if size else ""
    return int(total) if total.isdigit() else None


def check_archive(path: Path, name: str) -> None:
    """Read an archive through, with its checksums; ``name`` says what kind it is."""
    if name.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            if broken := archive.testzip():
                raise zipfile.BadZipFile(f"{broken} in it is broken")
        return
    opener = {".gz": gzip.open, ".tgz": gzip.open, ".xz": lzma.open}.get(Path(name).suffix)
    if opener is not None:
        with opener(path, "rb") as stream:
            while stream.read(CHUNK):
                pass
