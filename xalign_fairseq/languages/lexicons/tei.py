"""FreeDict's TEI: ``entry`` elements with the headword in ``form/orth`` and translations in ``sense/cit/quote``."""

import gzip
import re
import zlib
from collections.abc import Iterator
from typing import IO, Any
from xml.etree import ElementTree

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.containers import BLOCK, MOST_CHARACTERS

_OPEN = re.compile(r"[(<{[]")
_BRACKETED = re.compile(r"\([^()]*\)|\[[^][]*\]|<[^<>]*>|\{[^{}]*\}")
# Joints of phrases in some of FreeDict's dictionaries.
_JOINTS = str.maketrans("~_", "  ")


def without_notes(text: str) -> str:
    """The text without (nested) brackets and their content, with single spaces between words."""
    while _OPEN.search(text) and (shorter := _BRACKETED.sub(" ", text)) != text:
        text = shorter
    return " ".join(text.translate(_JOINTS).split())


SUFFIXES = (".tei", ".xml", ".tei.gz", ".xml.gz")

_TRANSLATION = ("trans", "translation")
# Elements that hold translations of the headword. Examples (cit, eg) and related entries (re) translate other text.
_INSIDE = ("sense", "hom")


def read(path: StrPath) -> Iterator[tuple[str, str]]:
    """The (headword, translation) pairs of a TEI dictionary, plain or gzip-compressed, in constant memory.

    Each ``orth`` of an entry's uninflected ``form`` is paired with each translation; a missing side is empty.
    """
    found = False
    try:
        with _open(path) as stream:
            for entry in _entries(stream):
                found = True
                forms = [form for form in entry if _name(form) == "form" and form.get("type") != "infl"]
                headwords = _texts(each for form in forms for each in form if _name(each) == "orth") or [""]
                translations = _texts(_translations(entry)) or [""]
                yield from ((headword, word) for headword in headwords for word in translations)
    except XalignError:
        raise
    except (ElementTree.ParseError, EOFError, gzip.BadGzipFile, zlib.error, *_UNREADABLE) as error:
        raise XalignError("the TEI file can't be read", where=path, found=error) from None
    if not found:
        expected = "<entry><form><orth>...</orth></form><sense><cit type='trans'><quote>...</quote></cit></sense>"
        raise XalignError("the TEI file has no entry", where=path, expected=expected)


# An encoding that is unknown or too wide for expat; elements nested too deeply.
_UNREADABLE = (LookupError, ValueError, RecursionError)


def _open(path: StrPath) -> IO[bytes]:
    with open(path, "rb") as stream:
        compressed = stream.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if compressed else open(path, "rb")  # type: ignore[return-value]


def _events(stream: IO[bytes]) -> Iterator[tuple[str, ElementTree.Element]]:
    parser: Any = ElementTree.XMLPullParser(("start", "end", "comment", "pi"))
    pending = 0
    while block := stream.read(BLOCK):
        parser.feed(block)
        events = list(parser.read_events())
        pending = 0 if events else pending + len(block)
        if pending > MOST_CHARACTERS:  # expat rereads incomplete elements from the start
            problem = f"a tag, comment or text of the TEI file has more than {MOST_CHARACTERS:,} bytes"
            raise XalignError(problem, where=getattr(stream, "name", None))
        yield from events
    parser.close()
    yield from parser.read_events()


def _entries(stream: IO[bytes]) -> Iterator[ElementTree.Element]:
    parents: list[ElementTree.Element] = []
    for event, element in _events(stream):
        if event == "start":
            parents.append(element)
        elif event == "end":
            parents.pop()
            if _name(element) == "entry":
                yield element
                if parents:  # free the memory of entries already read
                    parents[-1].remove(element)


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]  # P5 has a namespace, P4 does not


def _translations(parent: ElementTree.Element) -> Iterator[ElementTree.Element]:
    for child in parent:
        name = _name(child)
        if name in _INSIDE:
            yield from _translations(child)
        elif name == "cit" and child.get("type") in _TRANSLATION:
            yield from (each for each in child if _name(each) == "quote")
        elif name == "trans":
            yield from (each for each in child if _name(each) == "tr")


def _texts(elements: Iterator[ElementTree.Element]) -> list[str]:
    return [text for text in (without_notes("".join(element.itertext())) for element in elements) if text]
