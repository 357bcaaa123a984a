"""Read UTF-8 text line by line; errors name the line."""

import codecs
import functools
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, nearly
from xalign_fairseq.core.text.containers import file_of, open_text, require_one_text
from xalign_fairseq.core.text.decoding import PACKED, changed, converted, decode_line, packed_by
from xalign_fairseq.core.text.limits import LiveStream, lines_of

logger = logging.getLogger(__name__)
# The first bytes of ZIP files (also those of Word and Excel), of PDF, of old files of Word and Excel, and of RTF.
DOCUMENTS = (b"PK\x03\x04", b"%PDF-", b"\xd0\xcf\x11\xe0", b"{\\rtf")


def require_unicode(text: str, where: object) -> None:
    """:class:`XalignError` for a text with half a surrogate pair, which JSON and Python allow but UTF-8 does not."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = f"{text[error.start]!a} at character {error.start}"
        raise XalignError("a text is not valid Unicode", where=where, found=found) from None


def read_lines(path: StrPath, table: bool = False) -> Iterator[str]:
    """Yield the lines of UTF-8 text, without line ends, in constant memory.

    The text is a file, a compressed file or a part of a file (:mod:`xalign_fairseq.core.text.containers`). A whole
    ``.tsv`` is allowed only if ``table``.
    """
    require_file(file_of(os.fspath(path)))
    with open_text(path) as stream:
        yield from text_lines(stream, path, table)


def require_file(path: StrPath) -> None:
    """Raise :class:`XalignError` for a missing file, a folder, a pipe, a device or ``-``."""
    file = Path(path)
    if file.is_file():
        return
    if file.exists() or str(file) == "-":
        raise no_regular_file(file)
    if os.path.isfile(str(path).rpartition("#")[0]):
        raise XalignError("this file has no parts", where=path, expected="FILE.tsv#COLUMN or FILE.tmx#LANGUAGE")
    raise XalignError("the file does not exist", where=file, found=nearly(file), remedy="check the path and the ending")


def refuse_document(begin: bytes, path: StrPath, remedy: str) -> None:
    """Raise :class:`XalignError` for a file of an office program, or another ZIP file, by its first bytes."""
    if begin.startswith(DOCUMENTS):
        raise XalignError("the file is a Word, RTF, Excel, PDF or ZIP file", where=path, remedy=remedy)


def no_regular_file(path: StrPath) -> XalignError:
    """The error for a folder, pipe, device or standard input where a file is needed."""
    found = "standard input" if str(path) == "-" else "a folder" if Path(path).is_dir() else "a pipe or device"
    return XalignError("this is not a regular file", where=path, found=found, expected="a file, to read it twice")


def text_lines(stream: IO[bytes] | LiveStream, path: StrPath, table: bool = False) -> Iterator[str]:
    """Like :func:`read_lines` for an open stream; ``path`` names it in errors.

    Only a newline ends a line, not U+2028, U+0085 or a carriage return. A carriage return before the newline belongs to
    the line end (logged, except for a table). A byte order mark is skipped.
    """
    expected = "plain text in UTF-8" + ("" if table else ", one sentence per line")
    iconv = converted(file_of(os.fspath(path)))
    number = 0
    for number, raw in enumerate(lines_of(stream, path), 1):
        if number == 1:
            if tool := packed_by(raw):  # it would look like another encoding
                remedy = f"unpack it by {tool} -dc" + (f" {path} > FILE" if path != "/dev/stdin" else " in the pipe")
                named = f"text, or a name that ends in {PACKED[tool][1]}"
                raise XalignError("the file is compressed", where=path, expected=named, remedy=remedy)
            refuse_document(raw, path, f"save it as {expected}")
            if not table:
                require_one_text(raw, path)
            raw = raw.removeprefix(codecs.BOM_UTF8)
            if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                iconv = converted(file_of(os.fspath(path)), "UTF-16")
            elif len(raw) > 1 and 3 * raw.count(0) > len(raw):
                # UTF-16 without a byte order mark; its ASCII is valid UTF-8.
                order = "LE" if raw[1] == 0 else "BE"
                where, remedy = f"{path}, line 1", converted(file_of(os.fspath(path)), f"UTF-16{order}")
                raise XalignError("the file is not UTF-8", where=where, found="UTF-16", remedy=remedy)
        if raw.endswith(b"\r\n"):
            if not table:
                note_crlf(os.fspath(path))
            raw = raw[:-2]
        elif not raw.endswith(b"\n") and b"\r" in raw:
            problem, where = "the file has a carriage return without a newline", f"{path}, line {number}"
            run = changed(file_of(os.fspath(path)), r"tr '\r' '\n'")
            raise XalignError(problem, where=where, remedy=f"if it ends lines, run {run}")
        yield decode_line(raw, path, number, expected, iconv).removesuffix("\n")
    if number == 0:
        raise XalignError("the file is empty", where=path, expected=expected, remedy="check the path")


@functools.cache
def note_crlf(path: str) -> None:
    """Log once that a file has Windows line ends, which has no effect."""
    logger.warning("%s: there are lines that end with \\r\\n; the \\r is dropped", path)


def split_words(line: str) -> list[str]:
    """The words for link indices: the line split at whitespace (no-break spaces too), as in fairseq."""
    return line.split()


def different_lengths(src: StrPath, tgt: StrPath, lines: tuple[int, int] | str) -> XalignError:
    """The error for two files with different numbers of lines; text: what is known of the numbers."""
    problem, expected = "the files have different numbers of lines", "line i of one belongs to line i of the other"
    remedy = "look for a line break inside a sentence, or for lines that were deleted in one file only"
    found = lines
    if not isinstance(lines, str):
        found = f"{lines[0]} and {lines[1]} lines"
        longer, more, empty = src if lines[0] > lines[1] else tgt, abs(lines[0] - lines[1]), 0
        for line in read_lines(longer):
            empty = 0 if line.strip() else empty + 1
        if empty >= more:
            found += f"; {longer} ends with {counted(empty, 'empty line')}"
            remedy = f"delete {counted(more, 'empty line')} at the end of {longer}"
    return XalignError(problem, where=f"{src}, {tgt}", found=found, expected=expected, remedy=remedy)
