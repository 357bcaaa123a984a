"""The formats of annotation that can be projected, by their names."""

import os
import re
from dataclasses import dataclass
from functools import partial

from xalign_fairseq.core.errors import Parameter, Text, XalignError
from xalign_fairseq.core.files import OFFICE
from xalign_fairseq.core.text.compressed import open_file, unpacked_name
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.segmentation import segmenter_of_raw_text
from xalign_fairseq.projection.labels.conll import entity_columns
from xalign_fairseq.projection.labels.conllu import treebank
from xalign_fairseq.projection.labels.json_lines import json_spans
from xalign_fairseq.projection.markup.documents import bilingual_xml
from xalign_fairseq.projection.markup.lines import marked_lines
from xalign_fairseq.projection.units import Reader


@dataclass(frozen=True)
class AnnotationFormat:
    """A format: its suffixes, reader and name of an annotation; whether a file is ``bilingual`` or ``marked`` up."""

    suffixes: tuple[str, ...]
    read: Reader
    bilingual: bool = False
    marked: bool = False
    item: str = "tag"
    spans: bool = False  # whether it has labels of spans

    @property
    def raw(self) -> bool:
        """Whether the text is not split into words."""
        return self.bilingual or self.marked

    def segmenter(self, links: str | None) -> str:
        """The default segmenter: ICU for raw text; ``auto`` for other text, and with Pharaoh links."""
        given = next(read_lines(links), "{") if links else "{"
        return segmenter_of_raw_text() if self.raw and given.startswith("{") else "auto"


ANNOTATIONS = {
    "conll": AnnotationFormat((".conll", ".bio", ".iob"), entity_columns, item="annotation", spans=True),
    "conllu": AnnotationFormat((".conllu",), treebank, item="annotation"),
    "json": AnnotationFormat((".jsonl", ".ndjson"), json_spans, bilingual=True, item="annotation", spans=True),
    "html": AnnotationFormat((".html", ".htm"), partial(marked_lines, markup="html"), marked=True),
    "xml": AnnotationFormat((".xml",), partial(marked_lines, markup="xml"), marked=True),
    "placeholders": AnnotationFormat((), partial(marked_lines, markup="placeholders"), marked=True, item="placeholder"),
    "xliff": AnnotationFormat((".xlf", ".xliff", ".sdlxliff"), bilingual_xml, bilingual=True),
    "tmx": AnnotationFormat((".tmx",), bilingual_xml, bilingual=True),
}


def named_by_ending(path: str) -> list[str]:
    """The names of the formats whose files end like this one: one, or none."""
    return [name for name, each in ANNOTATIONS.items() if unpacked_name(path).lower().endswith(each.suffixes)]


def _beginning(path: str) -> str:
    """The first characters of a file."""
    with open_file(path) as stream:
        return stream.read(1 << 12).replace(b"\0", b"").decode(errors="replace")  # also of UTF-16


def require_ending(out: str, form: AnnotationFormat) -> None:
    """Raise :class:`XalignError` if the output's ending is that of another format than the source's."""
    if any(ANNOTATIONS[name] is not form for name in named_by_ending(out)):
        problem = "the output has the format of the annotated text"
        raise XalignError(problem, parameter="out", found=out, expected=", ".join(form.suffixes))


def find_format(name: str, src: str, tgt: str | None, extract: bool = False) -> AnnotationFormat:
    """The format by its name, or, if that is empty, by the name of the annotated file."""
    named = [name] if name else named_by_ending(src)
    beginning = "" if named or not os.path.isfile(src) else _beginning(src)
    if root := re.match(r"[^<]*(?:<[?!][^<]*)*<(?:[\w.-]+:)?(xliff|tmx)\b", beginning):
        named = [root[1]]
    known = ", ".join(ANNOTATIONS)
    if name and name not in ANNOTATIONS:
        raise XalignError("unknown format", parameter="format", found=name, expected=known)
    if len(named) != 1:
        problem = "the file's name has no ending of a known format"
        remedy: Text = "set", Parameter("format")
        if src.lower().endswith(OFFICE):
            remedy = "save it as HTML or XLIFF"
        elif src.lower().endswith((".po", ".pot")):
            remedy = "extract its texts first, for example with Okapi or translate-toolkit's po2txt"
        elif re.search(r"\{\w*\}|%[sd]\b", beginning):
            remedy = "if it has placeholders, set", Parameter("format", "placeholders")
        raise XalignError(problem, where=src, parameter="format", expected=known, remedy=remedy)
    found = ANNOTATIONS[named[0]]
    if extract:
        if not found.marked:
            expected = ", ".join(key for key, each in ANNOTATIONS.items() if each.marked)
            problem = "the texts of this format can't be extracted"
            instead = "translate in the file itself, which has both texts" if found.bilingual else None
            raise XalignError(problem, found=named[0], expected=expected, remedy=instead)
    elif found.bilingual != (tgt is None):
        problem = "has the translation in the same file" if found.bilingual else "needs a file of the translation"
        remedy = "leave it out" if found.bilingual else ("give", Parameter("tgt", "FILE"))
        raise XalignError(f"the format {named[0]} {problem}", parameter="tgt", found=tgt, remedy=remedy)
    return found
