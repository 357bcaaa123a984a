"""The bytes of text files: how to find their encoding or compression, and errors that say how to convert them."""

import re
from functools import partial
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import NoReturn
from xml.parsers import expat

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.compressed import open_file, unpacked_name
from xalign_fairseq.core.text.limits import LINE_BYTES

# The first bytes of compressed files, by tool, and their suffixes.
PACKED = {
    "gzip": (rb"\x1f\x8b", ".gz"),
    "bzip2": (rb"BZh\d1AY&SY", ".bz2"),
    "xz": (rb"\xfd7zXZ\0", ".xz"),
    "zstd": (rb"\x28\xb5\x2f\xfd", ".zst"),
}
# The beginning of XML in UTF-16, or of XML that declares an encoding other than UTF-8.
OTHER_ENCODING = re.compile(rb"(?is).{0,3}\0|[^>]*\bencoding\s*=\s*[\"'](?!utf-?8|us-ascii)")


def decode_line(raw: bytes, path: StrPath, number: int, expected: str = "UTF-8 text", next: str | None = None) -> str:
    """One line of a file as text; :class:`XalignError` with its place if it is not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        where, found = f"{path}, line {number}", f"byte 0x{raw[error.start]:02x} at position {error.start} of the line"
        raise XalignError("the file is not UTF-8", where=where, found=found, expected=expected, remedy=next) from None


def refuse_xml(error: expat.ExpatError, file: StrPath) -> NoReturn:
    """Raise :class:`XalignError` for XML that can't be read: a line that is not UTF-8, or what the parser found."""
    with open_file(file) as stream:
        lines = iter(partial(stream.readline, LINE_BYTES), b"")
        for number, raw in enumerate(islice(lines, error.lineno), 1):
            if len(raw) == LINE_BYTES or (number == 1 and OTHER_ENCODING.match(raw)):
                break
            decode_line(raw, file, number, next=converted(file))
    where, found = f"{file}, line {error.lineno}", expat.errors.messages[error.code]
    remedy = "correct this line, or export the file again"
    raise XalignError("the file is not well-formed XML", where=where, found=found, remedy=remedy) from None


def converted(file: StrPath, encoding: str = "") -> str:
    """How to convert a file to UTF-8."""
    which = "" if encoding else " (its encoding may be WINDOWS-1252, GB18030 or SHIFT_JIS)"
    iconv = changed(file, f"iconv -f {encoding or 'ENCODING'} -t UTF-8")
    return f"save it again as UTF-8 in the editor, or run {iconv}{which}"


def changed(file: StrPath, command: str) -> str:
    """A line for the shell: a command that reads a file, and writes a new one."""
    name, tool = quote(str(file)), next((tool for tool, (_, end) in PACKED.items() if str(file).endswith(end)), None)
    run = f"{tool} -dc {name} | {command}" if tool else f"{command} < {name}"
    return f"{run} > NEW{Path(unpacked_name(file)).suffix}"


def packed_by(raw: bytes) -> str | None:
    """The compression (of :data:`PACKED`) of a file with these first bytes; None: not compressed."""
    return next((tool for tool, (begin, _) in PACKED.items() if re.match(begin, raw)), None)
