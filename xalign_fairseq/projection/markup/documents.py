"""XLIFF 1.2 and 2.0, and TMX: files of XML with source texts and their translations.

The parser only finds the positions of the texts; all other bytes are copied unchanged.
"""

import re
from codecs import iterdecode
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from xml.parsers import expat

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.compressed import open_file
from xalign_fairseq.core.text.containers import no_text, plain_language
from xalign_fairseq.core.text.decoding import converted, refuse_xml
from xalign_fairseq.core.text.lines import refuse_document, require_file
from xalign_fairseq.core.text.segmentation import Segmenter
from xalign_fairseq.core.text.segmented import Span
from xalign_fairseq.projection.markup.inline import TAG, attributes_of, local_name
from xalign_fairseq.projection.markup.pair import MARKUPS, left_out, markup_unit
from xalign_fairseq.projection.units import Annotated, Piece, Unit

BLOCK = 1 << 16
MOST_BYTES = 1 << 22  # limit for a unit, and for a tag or comment
MOST_DEPTH = 1000
UNITS = {"trans-unit", "segment", "ignorable", "tu"}
NAMED = {"trans-unit", "unit", "tu"}  # elements with the name of a unit
OTHERS = {"alt-trans", "match", "matches", ""}  # elements with their own texts; "": of another namespace than the root
LANGUAGE = "http://www.w3.org/XML/1998/namespace lang"
NO_TEXT = re.compile(r"</?(?:[\w.-]+:)?mrk\b[^<>]*>|<!--.*?-->|<\?.*?\?>", re.DOTALL)  # tags of segments, comments
UTF_16 = re.compile(r"^(<\?xml[^>]*\bencoding\s*=\s*[\"'])utf-?16(?:-?[bl]e)?", re.IGNORECASE)
START_TAG = re.compile(rb"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")


@dataclass
class _Text:
    """The content of ``<source>``, ``<seg-source>``, ``<target>`` or a language's ``<seg>``, as bytes of the file.

    Attributes:
        role: name of the element; of ``<seg>`` its language, until the unit ends.
        where: file, line and unit, for errors and reports.
    """

    role: str
    start: int
    where: str
    stop: int = 0


@dataclass
class _Parser:
    """Finds the texts of each unit."""

    file: str
    data: bytearray = field(default_factory=bytearray)
    base: int = 0  # the data's offset in the file
    space: str = ""  # namespace of the root
    path: list[str] = field(default_factory=list)
    translated: list[bool] = field(default_factory=lambda: [True])  # for each element of the path, and without any
    unit: int = -1  # depth of the open unit
    name: str | None = None  # of the last unit; of none before the first
    language: str = ""  # language of TMX's sources
    variant: str = ""  # the same for the open unit
    languages: Counter[str] = field(default_factory=Counter)  # of TMX's texts, until one is a source
    is_sourced: bool = False
    texts: list[_Text] = field(default_factory=list)
    open: _Text | None = None
    done: list[list[_Text]] = field(default_factory=list)
    role: str = ""  # role of the open or next text
    depth: int = 0  # depth of the open text
    last: int = 0  # start of the last piece of XML that the parser saw

    def __post_init__(self) -> None:
        self.expat = expat.ParserCreate(namespace_separator=" ")
        self.expat.StartElementHandler, self.expat.EndElementHandler = self.start, self.end
        self.expat.EntityDeclHandler = lambda *_: self.refuse("it defines entities")
        self.expat.AttlistDeclHandler = lambda *_: self.refuse("it declares attributes")
        self.expat.XmlDeclHandler, self.expat.CharacterDataHandler = self.declaration, self.seen

    def refuse(self, found: str, remedy: str | None = None) -> None:
        where = f"{self.file}, line {self.expat.CurrentLineNumber}"
        raise XalignError("the file has unsupported XML", where=where, found=found, remedy=remedy)

    def seen(self, *_: object) -> None:
        self.last = self.expat.CurrentByteIndex

    def declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding and encoding.lower().replace("-", "") not in ("utf8", "usascii"):
            self.refuse(
                f"the encoding {encoding}", f"{converted(self.file, encoding)}; correct the encoding in its first line"
            )

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.seen()
        space, _, name = name.rpartition(" ")
        self.space = self.space if self.path else space
        self.path.append(name if space == self.space else "")
        self.translated.append({"yes": True, "no": False}.get(attributes.get("translate", ""), self.translated[-1]))
        if len(self.path) > MOST_DEPTH:
            self.refuse(f"more than {MOST_DEPTH:,} levels")
        if self.open or not OTHERS.isdisjoint(self.path):
            return
        if name == "header":
            self.language = attributes.get("srclang", "")
        if name in NAMED:
            self.name = attributes.get("tuid" if name == "tu" else "id", "")
        if name in UNITS and self.unit < 0 and self.translated[-1]:
            self.unit, self.texts = len(self.path), []
            self.variant = attributes.get("srclang", "") or self.language
        if self.unit >= 0 and name == "tuv":
            self.role = attributes.get(LANGUAGE, attributes.get("lang", ""))
        elif self.unit >= 0 and name in ("source", "seg-source", "target", "seg"):
            self.role = self.role if name == "seg" else name
            match = START_TAG.match(self.data, self.last - self.base)
            stop = match.end() + self.base if match else self.last
            where = f"{self.file}, line {self.expat.CurrentLineNumber}" + (f", unit {self.name}" if self.name else "")
            self.open, self.depth = _Text(self.role, stop, where), len(self.path)

    def end(self, name: str) -> None:
        self.seen()
        if self.open and len(self.path) == self.depth:
            self.open.stop = max(self.open.start, self.expat.CurrentByteIndex)
            self.texts.append(self.open)
            self.open = None
        if len(self.path) == self.unit:
            if self.texts and self.path[-1] == "tu":
                self.divide()
            self.done.append(self.texts)
            self.unit = -1
        self.path.pop()
        self.translated.pop()

    def divide(self) -> None:
        """Find the sources among the texts of a unit of TMX: with the region of its source language, if any has it."""
        wanted, *spoken = (plain_language(each) for each in (self.variant, *(text.role for text in self.texts)))
        wanted = spoken[0] if wanted in ("", "*all*") else wanted
        here = [f"{each}-".startswith(f"{wanted}-") for each in spoken]
        here = here if any(here) else [f"{wanted}-".startswith(f"{each}-") for each in spoken]
        if not self.is_sourced:
            self.languages.update(text.role for text in self.texts)
            self.is_sourced = any(here)
        for text, is_source in zip(self.texts, here, strict=True):
            text.role = "source" if is_source else "target"

    def feed(self, block: bytes, last: bool) -> None:
        self.data += block
        try:
            self.expat.Parse(block, last)
        except expat.ExpatError as error:
            refuse_xml(error, self.file)

    def take(self, stop: int) -> str:
        """The text up to a place in the file; it is then released."""
        taken = self.data[: stop - self.base].decode()
        del self.data[: stop - self.base]
        self.base = stop
        return taken


def bilingual_xml(files: Annotated) -> Iterator[Piece]:
    """XLIFF 1.2 or 2.0, or TMX: the unchanged XML, and the translations in it.

    In TMX all other languages are translations of the source language.
    """
    require_file(files.src)
    parser = _Parser(files.src)
    for block in _blocks(files.src):
        parser.feed(block, not block)
        for texts in parser.done:
            yield from _unit(parser, texts, files.segment)
        parser.done.clear()
        if parser.unit < 0 and parser.last > parser.base:
            yield parser.take(parser.last)
        if len(parser.data) > MOST_BYTES:
            parser.refuse(f"a unit, a tag or a comment of more than {MOST_BYTES:,} bytes")
    if parser.name is None:
        problem, remedy = "the file has no unit of XLIFF or TMX", "check that it is the exported file"
        raise XalignError(problem, where=files.src, remedy=remedy)
    if parser.languages and not parser.is_sourced:
        raise no_text(files.src, parser.languages, f"srclang {parser.variant}")
    yield parser.take(parser.base + len(parser.data))


def _blocks(file: str) -> Iterator[bytes]:
    """The bytes of a file in blocks; the last is empty. UTF-16 becomes UTF-8, also in the XML declaration."""
    with open_file(file) as stream:
        first = stream.read(BLOCK)
        refuse_document(first, file, "unpack it, and give the file of XLIFF or TMX in it")
        order = {0: "-be", 1: "-le", 2: "", 3: ""}.get(first[:4].find(b"\0"))  # after a byte order mark, if any
        blocks = chain([first], iter(partial(stream.read, BLOCK), b""))
        if order is None:
            yield from blocks
        else:
            try:
                for block in iterdecode(blocks, f"utf-16{order}"):
                    yield UTF_16.sub(r"\1UTF-8", block).encode()
            except UnicodeError as error:
                raise XalignError("the file is not UTF-16", where=file, found=error, remedy="save it again") from None
    yield b""


def _unit(parser: _Parser, texts: list[_Text], segment: Segmenter) -> Iterator[Piece]:
    raw = {id(text): parser.data[text.start - parser.base : text.stop - parser.base].decode() for text in texts}
    sources = {text.role: raw[id(text)] for text in reversed(texts) if text.role != "target"}
    if "source" not in sources:
        return
    targets = [text for text in texts if text.role == "target"]
    for text in targets:
        yield parser.take(text.start)
        parser.take(text.stop)
        yield from _divided(sources, raw[id(text)], segment, text.where)
    if not targets:
        yield _pair(sources["source"], None, segment, texts[0].where)


def _pair(source: str, target: str | None, segment: Segmenter, where: str) -> Unit:
    """A text and its translation; ``None``: the file has no place for a translation."""
    markup, nothing = MARKUPS["bilingual"], segment("")
    if target and NO_TEXT.sub("", target).strip():
        return markup_unit(markup, source, target, segment, where)
    problem = "the unit has no translation" if target is None else "the translation is empty"
    missing = left_out(markup, source, "", f"{problem}; its tags were not added")
    return Unit.fixed(nothing, nothing, where, target or "", *missing)


def _divided(sources: dict[str, str], target: str, segment: Segmenter, where: str) -> Iterator[Piece]:
    """A pair for each segment, if ``<mrk mtype="seg">`` divides both texts, otherwise one of the whole.

    Pairs without text are at the end: segments that the target lacks, and, if they differ, the tags outside segments.
    """
    source, end = sources.get("seg-source", sources["source"]), 0
    segments, pairs = _segments(target), _segments(source)
    if not segments or not pairs.keys() >= segments.keys():
        yield _pair(sources["source"], target, segment, where)
        return
    for number, (start, stop) in segments.items():
        yield target[end:start]
        yield _pair(source[slice(*pairs[number])], target[start:stop], segment, f"{where}, segment {number}")
        end = stop
    yield target[end:]
    for number, place in pairs.items():
        if number not in segments:
            yield _pair(source[slice(*place)], "", segment, f"{where}, segment {number}")
    outside = _outside(source, pairs.values()), _outside(target, segments.values())
    if differing := left_out(MARKUPS["bilingual"], *outside, "outside the segments: add this one by hand"):
        yield Unit.fixed(segment(""), segment(""), where, "", *differing)


def _outside(text: str, places: Iterable[Span]) -> str:
    """The text outside some places, without the tags of segments."""
    edges = [0, *(edge for place in places for edge in place), len(text)]
    return NO_TEXT.sub("", "".join(text[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True)))


def _segments(text: str) -> dict[str, Span]:
    """The content of each ``<mrk mtype="seg">`` by its number; empty if two have the same number."""
    found: list[tuple[str, Span]] = []
    open_tags: list[tuple[str | None, int]] = []
    for match in TAG.finditer(text):
        if local_name(match[2]) != "mrk":
            continue
        if match[1]:
            number, start = open_tags.pop() if open_tags else (None, 0)
            if number is not None:
                found.append((number, (start, match.start())))
        else:
            attributes = attributes_of(match[3])
            is_segment = attributes.get("mtype") == "seg" and not open_tags
            number = attributes.get("mid", "") if is_segment else None
            if not match[3].endswith("/"):
                open_tags.append((number, match.end()))
            elif number is not None:
                found.append((number, (match.end(), match.end())))
    by_number = dict(found)
    return by_number if len(by_number) == len(found) else {}
