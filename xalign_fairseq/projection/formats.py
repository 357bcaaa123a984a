"""The formats of annotation that can be projected, by their names."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.text.compressed import unpacked_name
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.segmentation import segmenter_of_raw_text
from xalign_fairseq.projection.labels.conll import EntityColumns
from xalign_fairseq.projection.labels.conllu import Treebank
from xalign_fairseq.projection.labels.json_lines import JsonSpans
from xalign_fairseq.projection.markup.documents import BilingualXml
from xalign_fairseq.projection.markup.readers import MarkedLines, Subtitles, UsfmTexts
from xalign_fairseq.projection.units import Annotated, AnnotationReader


@dataclass(frozen=True)
class AnnotationFormat:
    """A format of annotation: how its files end, what makes its reader, and what they hold.

    A ``bilingual`` file holds the translation, too; the texts of a ``marked`` one can be written as lines for a
    translator.
    """

    suffixes: tuple[str, ...]
    read: Callable[[Annotated], AnnotationReader]
    bilingual: bool = False
    marked: bool = False

    def segmenter(self, links: str | None) -> str:
        """The default segmenter: of raw text ICU; of other text, and with links that only count words, ``auto``."""
        given = next(read_lines(links), "{") if links else "{"
        return segmenter_of_raw_text() if (self.bilingual or self.marked) and given.startswith("{") else "auto"


ANNOTATIONS = {
    "conll": AnnotationFormat((".conll", ".bio", ".iob"), EntityColumns),
    "conllu": AnnotationFormat((".conllu",), Treebank),
    "json": AnnotationFormat((".jsonl", ".ndjson"), JsonSpans, bilingual=True),
    "html": AnnotationFormat((".html", ".htm"), partial(MarkedLines, markup="html"), marked=True),
    "xml": AnnotationFormat((".xml",), partial(MarkedLines, markup="xml"), marked=True),
    "placeholders": AnnotationFormat((), partial(MarkedLines, markup="placeholders"), marked=True),
    "usfm": AnnotationFormat((".usfm", ".sfm"), UsfmTexts, marked=True),
    "srt": AnnotationFormat((".srt",), partial(Subtitles, markup="srt"), marked=True),
    "vtt": AnnotationFormat((".vtt",), partial(Subtitles, markup="vtt"), marked=True),
    "xliff": AnnotationFormat((".xlf", ".xliff"), partial(BilingualXml, markup="xliff"), bilingual=True),
    "tmx": AnnotationFormat((".tmx",), partial(BilingualXml, markup="tmx"), bilingual=True),
}


def find_format(name: str, src: str, tgt: str | None, extract: bool = False) -> AnnotationFormat:
    """The format by its name, or, if that is empty, by the name of the annotated file."""
    named = [name] if name else [key for key, each in ANNOTATIONS.items() if unpacked_name(src).endswith(each.suffixes)]
    if len(named) != 1 or named[0] not in ANNOTATIONS:
        problem = "there is no such format" if name else "the file's name has no ending of a known format"
        raise XalignError(
            problem,
            where=None if name else src,
            parameter="format",
            found=name or None,
            expected=", ".join(ANNOTATIONS),
        )
    found = ANNOTATIONS[named[0]]
    if extract:
        if not found.marked:
            expected = ", ".join(key for key, each in ANNOTATIONS.items() if each.marked)
            raise XalignError("the texts of this format can't be extracted", found=named[0], expected=expected)
    elif found.bilingual != (tgt is None):
        problem = "has the translation in the same file" if found.bilingual else "needs a file of the translation"
        remedy = "leave it out" if found.bilingual else ("give", Parameter("tgt", "FILE"))
        raise XalignError(f"the format {named[0]} {problem}", parameter="tgt", found=tgt, remedy=remedy)
    return found
