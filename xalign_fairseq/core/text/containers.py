"""Texts within files that hold several, as streams: columns of TSV, languages of TMX, both sides of a folder.

``FILE#PART`` names a text in a file: ``crawl.tsv.gz#2`` is the second column of a table whose cells are separated by
tabs, ``memory.tmx#de`` the German side of a translation memory, with an empty line for each unit without German. Files
may be compressed and are unpacked in memory.
"""

import io
import os
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import IO
from xml.parsers import expat

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, file_sha256
from xalign_fairseq.core.text.compressed import Joined, existing, is_compressed, open_file, unpacked_name
from xalign_fairseq.core.text.decoding import refuse_xml
from xalign_fairseq.core.text.limits import lines_of

BLOCK = 1 << 16
MOST_CHARACTERS = 1 << 20  # limit for a unit of TMX, and for a tag
MOST_CODE = 20  # characters that show whether code breaks a line
SAMPLE_UNITS = 1000  # units of TMX to read for the languages in an error
# Elements of TMX within <seg> that contain code of another format, or a separate text.
CODE = {"bpt", "ept", "it", "ph", "ut", "sub"}
_SPACES = re.compile(r"[ \t\r\n]+")  # the white space of XML; others, such as no-break spaces, are text
BREAK = re.compile(r"\s*(?:<|&lt;)br\b", re.IGNORECASE)  # code that breaks a line


def kind_of(path: StrPath) -> str | None:
    """``.tsv`` or ``.tmx`` (compressed or not) if a file holds several texts, by its name; otherwise None."""
    suffix = Path(unpacked_name(path)).suffix.lower()
    return suffix if suffix in (".tsv", ".tmx") else None


def file_of(path: str) -> str:
    """The file with a text: ``FILE`` for ``FILE#PART``, otherwise the path."""
    return _parted(path)[0]


def text_sha256(path: StrPath) -> str:
    """The sha256 of the file with a text, followed by ``#PART``, if any: ``1f...#2``."""
    file = file_of(os.fspath(path))
    return file_sha256(Path(file)) + os.fspath(path).removeprefix(file)


def suffix_of(path: StrPath) -> str:
    """The suffix of a text's name, which is its language; empty for a column."""
    file, part = _parted(os.fspath(path))
    if part is not None:
        return f".{part}" if kind_of(file) == ".tmx" else ""
    return Path(unpacked_name(file)).suffix


def is_stream(path: str) -> bool:
    """Whether a text can only be read from its beginning."""
    file, part = _parted(path)
    return part is not None or is_compressed(file)


def sides_of(prefix: str, src: str, tgt: str) -> tuple[str, str]:
    """The paths of both sides of a bitext.

    ``prefix`` is P of ``P.src`` and ``P.tgt``, plain or compressed; otherwise a folder with two such files, like OPUS
    archives in Moses format (``P/`` if ``P.src`` exists too); a ``.tmx``; or a ``.tsv``, by default with columns 1 and
    2 (``FILE.tsv#4,2`` for others).
    """
    file, part = _parted(prefix)
    kind = kind_of(file) if Path(file).is_file() else None
    if kind == ".tmx":
        return f"{file}#{src}", f"{file}#{tgt}"
    if kind == ".tsv":
        first, comma, second = (part or "1,2").partition(",")
        if not (comma and first.isdecimal() and second.isdecimal()):
            raise XalignError("the columns of the bitext are not given", where=prefix, expected=f"such as {file}#1,2")
        return f"{file}#{first}", f"{file}#{second}"
    if Path(prefix).is_dir() and not all(Path(existing(f"{prefix}.{side}")).is_file() for side in (src, tgt)):
        prefix = _in_folder(Path(prefix), src, tgt)
    return existing(f"{prefix}.{src}"), existing(f"{prefix}.{tgt}")


def _in_folder(folder: Path, src: str, tgt: str) -> str:
    names = sorted(set(map(unpacked_name, os.listdir(folder))))
    stems = [name.removesuffix(f".{src}") for name in names if name.endswith(f".{src}")]
    found = [stem for stem in stems if f"{stem}.{tgt}" in names]
    if len(found) != 1:
        raise XalignError(
            "the folder does not have exactly one bitext",
            where=folder,
            found=", ".join(f"{stem}.{src}" for stem in found) or "no such pair of files",
            remedy=f"name the pair by its prefix, such as {folder}/NAME for NAME.{src} and NAME.{tgt}",
        )
    return os.path.join(folder, found[0])


@contextmanager
def open_text(path: StrPath) -> Iterator[IO[bytes]]:
    """The bytes of a text: a file, a compressed one, or ``FILE#PART``."""
    file, part = _parted(os.fspath(path))
    with open_file(file) as stream:
        if part is None:
            if kind_of(file) == ".tmx":
                raise _no_language(stream, file)
            yield stream
            return
        lines = _column(stream, file, part) if kind_of(file) == ".tsv" else _language(stream, file, part)
        yield io.BufferedReader(Joined(lines), 1 << 20)


def skip(stream: IO[bytes], count: int) -> None:
    """Skip the first bytes of a text."""
    if stream.seekable():
        stream.seek(count)
        return
    while count > 0:
        count -= len(stream.read(min(count, 1 << 20)) or b" " * count)


def _parted(path: str) -> tuple[str, str | None]:
    file, hash_sign, part = path.rpartition("#")
    return (file, part) if hash_sign and kind_of(file) else (path, None)


def _column(stream: IO[bytes], file: str, part: str) -> Iterator[bytes]:
    if not part.isdecimal() or int(part) < 1:
        names = next(lines_of(stream, file), b"").decode("utf-8-sig", "replace").rstrip("\r\n").split("\t")
        expected = f"a column such as {file}#{names.index(part) + 1 if part in names else 1}"
        raise XalignError("a column is selected by its number", where=f"{file}#{part}", expected=expected)
    column = int(part)
    for number, line in enumerate(lines_of(stream, file), 1):
        cells = line.removesuffix(b"\n").removesuffix(b"\r").split(b"\t")
        if len(cells) < column and cells != [b""]:
            problem, where = f"a line of the table has fewer than {column} columns", f"{file}, line {number}"
            raise XalignError(problem, where=where, found=len(cells))
        yield (cells[column - 1] if len(cells) >= column else b"") + b"\n"


def require_one_text(first: bytes, path: StrPath) -> None:
    """:class:`XalignError` if a table is read as one text; ``first`` is its first line."""
    columns = first.count(b"\t") + 1
    if columns > 1 and kind_of(path) == ".tsv":
        raise XalignError("a table has several columns", where=path, expected=f"one of them, such as {path}#1")


def _no_language(stream: IO[bytes], file: str) -> XalignError:
    units = _Units(file, "")
    with suppress(XalignError):
        deque(islice(_parse(stream, units), SAMPLE_UNITS), 0)
    languages = [name for name, _ in units.languages.most_common(20) if name]
    found = f"languages {', '.join(languages)}" if languages else "no language"
    named = " ".join(f"{file}#{language}" for language in (languages[:2] if len(languages) > 1 else ("en", "de")))
    expected = f"one of them for each text, such as {named}"
    return XalignError("a translation memory has several languages", where=file, found=found, expected=expected)


def _language(stream: IO[bytes], file: str, language: str) -> Iterator[bytes]:
    units = _Units(file, language)
    yield from _parse(stream, units)
    if not units.found:
        raise no_text(file, units.languages, language)


def no_text(file: str, languages: Counter[str], found: str) -> XalignError:
    """A translation memory does not have the given language."""
    expected = ", ".join(name for name, _ in languages.most_common(20)) or "a memory with languages"
    return XalignError("the TMX file has no text in this language", where=file, found=found, expected=expected)


def _parse(stream: IO[bytes], units: "_Units") -> Iterator[bytes]:
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = units.start, units.end
    parser.CharacterDataHandler = units.text
    # A small file could expand to any size or take any time.
    parser.EntityDeclHandler, parser.AttlistDeclHandler = units.refuse_entity, units.refuse_attributes
    pending = 0
    try:
        while block := stream.read(BLOCK):
            before = units.events
            parser.Parse(block, False)
            yield from units.take()
            pending = pending + len(block) if units.events == before else 0
            if pending > MOST_CHARACTERS:  # expat rereads incomplete elements from the start
                expected = f"at most {MOST_CHARACTERS:,} bytes"
                raise XalignError("a tag or comment of the TMX file is too long", where=units.file, expected=expected)
        parser.Parse(b"", True)
    except XalignError:
        raise
    except expat.ExpatError as error:
        refuse_xml(error, units.file)
    except (LookupError, ValueError) as error:
        raise XalignError("the TMX file can't be read", where=units.file, found=error) from None
    yield from units.take()


class _Units:
    """A parser of TMX units that collects the text of one language."""

    def __init__(self, file: str, language: str):
        self.file, self.wanted = file, plain_language(language)
        self.found = False
        self.languages: Counter[str] = Counter()
        self._lines: list[bytes] = []
        self._unit: str | None = None  # of this unit, if it has been read
        self._segment: list[str] | None = None  # of the current variant
        self._size = self._code = self.events = 0
        self._here = self._breaks = False
        self._begin = ""  # of the code of another format

    def take(self) -> list[bytes]:
        lines, self._lines = self._lines, []
        return lines

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.events += 1
        if name == "tu":
            self._unit = None
        elif name == "tuv":
            language = attributes.get("xml:lang", attributes.get("lang", ""))
            if len(self.languages) < 1000:
                self.languages[language] += 1
            plain = plain_language(language)
            self._here = not self._unit and (plain == self.wanted or plain.startswith(f"{self.wanted}-"))
        elif name == "seg" and self._here:
            self._segment, self._size, self._code = [], 0, 0
        elif name in CODE and self._segment is not None:
            self._code += 1
            if self._code == 1:
                self._begin, self._breaks = "", breaks_line(attributes)

    def end(self, name: str) -> None:
        self.events += 1
        if name == "seg" and self._segment is not None:
            self._unit, self._segment = _SPACES.sub(" ", "".join(self._segment)).strip(" "), None
            self.found = self.found or bool(self._unit)
        elif name == "tuv":
            self._here = False
        elif name == "tu":
            self._lines.append((self._unit or "").encode() + b"\n")
        elif name in CODE and self._segment is not None:
            self._code -= 1
            if not self._code and (self._breaks or re.match(r"\s*<br\b", self._begin, re.IGNORECASE)):
                self.text(" ")

    def text(self, text: str) -> None:
        self.events += 1
        if self._segment is None or self._code:
            self._begin = (self._begin + text)[:MOST_CODE]
            return
        self._size += len(text)
        if self._size > MOST_CHARACTERS:
            expected = f"at most {MOST_CHARACTERS:,} characters"
            raise XalignError("a unit of the TMX file is too long", where=self.file, expected=expected)
        self._segment.append(text)

    def refuse_attributes(self, element: str, *_: object) -> None:
        raise XalignError("declarations of attributes in TMX are not supported", where=self.file, found=element[:40])

    def refuse_entity(self, name: str, *_: object) -> None:
        raise XalignError("the TMX file defines entities, which are not read", where=self.file, found=name[:40])


def plain_language(language: str) -> str:
    """A language code in lower case, with hyphens between its parts."""
    return language.lower().replace("_", "-")


def breaks_line(attributes: Mapping[str, str]) -> bool:
    """Whether an inline element of TMX or XLIFF is a line break, by its type."""
    return not {"lb", "xlf:lb", "x-html-br"}.isdisjoint(map(attributes.get, ("type", "ctype", "subType")))
