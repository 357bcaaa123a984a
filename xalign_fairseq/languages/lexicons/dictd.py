"""dictd's ``.index`` and ``.dict`` or ``.dict.dz``, with the text of the definitions as FreeDict lays it out."""

import gzip
import re
import zlib
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import decode_line, read_lines
from xalign_fairseq.languages.lexicons.tei import without_notes

SUFFIXES = (".dict", ".dict.dz", ".index")

_DIGITS = {c: i for i, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
_ABOUT = re.compile(r"00-?database")  # headwords of the dictionary's description
_PRONUNCIATION = re.compile(r"\s/.*?/(?=\s|$)")
_NUMBERS = re.compile(r"^(([0-9]+|[IVX]+)\.\s)+")  # of senses
_COMMAS = re.compile("[,;،؛、，；]")
_LABEL = re.compile(r"\s*[^\W\d_]+( [^\W\d_]+)?:\s")  # 'see: {...}', 'See also: ...', 'Note: ...', 'Synonym: {...}'
_EXAMPLE = re.compile(r"\s*-\s")  # the translation of the line before


def read(path: StrPath) -> Iterator[tuple[str, str]]:
    """The entries of a dictd dictionary whose definitions are laid out as FreeDict's.

    The first line of a definition is the headword, with pronunciation between slashes and notes in brackets; a line
    below it has the translations of one sense, after its number, with commas or semicolons between them. Examples (in
    double quotes, or translated in the next line after a dash) and lines with a label (``Note:``, ``see:``) are no
    translations. That is a reading of text made for people: expect a few entries that are none.

    Args:
        path: any of the two files; the other one is beside it and has the same name before the suffix.
    """
    index, text_file = index_and_text(path)
    content = _content(text_file)
    seen = set()
    for number, line in enumerate(read_lines(index), 1):
        headword, offset, size = _fields(line, f"{index}, line {number}")
        if _ABOUT.match(headword) or (offset, size) in seen:  # several headwords may have one definition
            continue
        seen.add((offset, size))
        if offset + size > len(content):
            raise XalignError(
                "the index names text beyond the end of the dictionary",
                where=f"{index}, line {number}",
                found=f"bytes {offset} to {offset + size}",
                expected=f"at most {len(content)}, the bytes of {text_file.name}",
                remedy="take both files from the same dictionary",
            )
        yield from _pairs(decode_line(content[offset : offset + size], text_file, number))


def index_and_text(path: StrPath) -> tuple[Path, Path]:
    """The ``.index`` file and the ``.dict`` or ``.dict.dz`` file, of which ``path`` is one."""
    path = Path(path)
    stem = next((path.name.removesuffix(suffix) for suffix in SUFFIXES if path.name.endswith(suffix)), path.name)
    index = path.with_name(f"{stem}.index")
    texts = [path] if path != index else [path.with_name(f"{stem}{suffix}") for suffix in SUFFIXES[:2]]
    found = next((each for each in texts if each.is_file()), None)
    if found is None or not index.is_file():
        raise XalignError(
            "a dictd dictionary is two files",
            where=path,
            found=f"no {index.name}" if found is not None else f"no {' or '.join(each.name for each in texts)}",
            expected=f"{stem}.index and {stem}.dict or {stem}.dict.dz in one folder",
        )
    return index, found


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise XalignError("the compressed dictionary is damaged", where=path, found=error) from None


def _fields(line: str, where: str) -> tuple[str, int, int]:
    headword, *numbers = line.split("\t")
    if len(numbers) < 2 or not all(0 < len(each) <= 9 and set(each) <= _DIGITS.keys() for each in numbers[:2]):
        expected = "headword TAB offset TAB length, the numbers in base 64"
        raise XalignError("the line is not of a dictd index", where=where, found=repr(line), expected=expected)
    return headword, _number(numbers[0]), _number(numbers[1])


def _number(digits: str) -> int:
    """dictd's base 64: the digits of a number, the most significant first, not the encoding of bytes."""
    value = 0
    for digit in digits:
        value = 64 * value + _DIGITS[digit]
    return value


def _pairs(definition: str) -> Iterator[tuple[str, str]]:
    first, *lines = definition.split("\n")
    headword = without_notes(_PRONUNCIATION.sub(" ", first))
    translations = [word for line in _senses(lines) for word in _translations(line)] or [""]
    yield from ((headword, word) for word in translations)


def _senses(lines: list[str]) -> Iterator[str]:
    for line, after in zip_longest(lines, lines[1:], fillvalue=""):
        if '"' not in line and not any(p.match(line) for p in (_LABEL, _EXAMPLE)) and not _EXAMPLE.match(after):
            yield line


def _translations(line: str) -> list[str]:
    words = _COMMAS.split(_NUMBERS.sub("", f"{without_notes(line)} ", count=1))
    return [word for word in map(str.strip, words) if word and word != "?"]
