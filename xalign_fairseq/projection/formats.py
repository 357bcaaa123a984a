"""The formats of annotation that can be projected, by their names."""

from dataclasses import dataclass
from functools import partial

from xalign_fairseq.core.errors import Parameter, Text, XalignError
from xalign_fairseq.core.files import OFFICE
from xalign_fairseq.core.text.compressed import unpacked_name
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
    """A format: its suffixes, its reader, and whether a file is ``bilingual`` or ``marked`` up."""

    suffixes: tuple[str, ...]
    read: Reader
    bilingual: bool = False
    marked: bool = False

    @property
    def raw(self) -> bool:
        """Whether the text is not split into words."""
        return self.bilingual or self.marked

    def segmenter(self, links: str | None) -> str:
        """The default segmenter: ICU for raw text; ``auto`` for other text, and with Pharaoh links."""
        given = next(read_lines(links), "{") if links else "{"
        return segmenter_of_raw_text() if self.raw and given.startswith("{") else "auto"


ANNOTATIONS = {
    "conll": AnnotationFormat((".conll", ".bio", ".iob"), entity_columns),
    "conllu": AnnotationFormat((".conllu",), treebank),
    "json": AnnotationFormat((".jsonl", ".ndjson"), json_spans, bilingual=True),
    "html": AnnotationFormat((".html", ".htm"), partial(marked_lines, markup="html"), marked=True),
    "xml": AnnotationFormat((".xml",), partial(marked_lines, markup="xml"), marked=True),
    "placeholders": AnnotationFormat((), partial(marked_lines, markup="placeholders"), marked=True),
    "xliff": AnnotationFormat((".xlf", ".xliff", ".sdlxliff"), partial(bilingual_xml, markup="xliff"), bilingual=True),
    "tmx": AnnotationFormat((".tmx",), partial(bilingual_xml, markup="tmx"), bilingual=True),
}


def named_by_ending(path: str) -> list[str]:
    """The names of the formats whose files end like this one: one, or none."""
    return [name for name, each in ANNOTATIONS.items() if unpacked_name(path).endswith(each.suffixes)]


def require_ending(out: str, form: AnnotationFormat) -> None:
    """Raise :class:`XalignError` for the ending of another format: the output has the format of the source."""
    if any(ANNOTATIONS[name] is not form for name in named_by_ending(out)):
        raise XalignError(
            "the output has the format of the annotated text", parameter="out", found=out, expected=form.suffixes
        )


def find_format(name: str, src: str, tgt: str | None, extract: bool = False) -> AnnotationFormat:
    """The format by its name, or, if that is empty, by the name of the annotated file."""
    named = [name] if name else named_by_ending(src)
    if len(named) != 1 or named[0] not in ANNOTATIONS:
        problem = "there is no such format" if name else "the file's name has no ending of a known format"
        office = src.lower().endswith(OFFICE)
        remedy: Text = "save it as HTML or XLIFF" if office else ("set", Parameter("format"))
        raise XalignError(
            problem,
            where=None if name else src,
            parameter="format",
            found=name or None,
            expected=", ".join(ANNOTATIONS),
            remedy=None if name else remedy,
        )
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
