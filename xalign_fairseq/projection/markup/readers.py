"""Marked-up files whose translation is a file with a line for each of their texts."""

import re
from collections.abc import Iterator

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.projection.markup.pair import MARKUPS, MOST_CHARACTERS, Translations, markup_unit
from xalign_fairseq.projection.markup.usfm import texts
from xalign_fairseq.projection.units import Annotated, Piece

TIMES = re.compile(r"\s*[\d:]+[.,]\d+\s+-->\s+[\d:]+[.,]\d+")


class MarkedLines:
    """A sentence a line, with inline HTML, inline XML or placeholders."""

    def __init__(self, annotated: Annotated, markup: str):
        self._annotated, self._markup = annotated, MARKUPS[markup]

    def pieces(self) -> Iterator[Piece]:
        """A pair for each line."""
        src, number = self._annotated.src, 0
        translations = Translations(self._annotated.tgt, src)
        for number, line in enumerate(read_lines(src), 1):
            where = f"{src}, line {number}"
            yield markup_unit(self._markup, line, translations.next(where), self._annotated.segment, where)
            yield "\n"
        translations.end(number)


class UsfmTexts:
    """USFM; each verse, or part of one before or after a heading, and each heading is a text."""

    def __init__(self, annotated: Annotated):
        self._annotated = annotated

    def pieces(self) -> Iterator[Piece]:
        """The markers of chapters, verses and headings, and the texts between them."""
        src, number = self._annotated.src, 0
        translations = Translations(self._annotated.tgt, src)
        for translated, text, line in texts(read_lines(src), src):
            if translated:
                where = f"{src}, line {line}"
                yield markup_unit(MARKUPS["usfm"], text, translations.next(where), self._annotated.segment, where)
                number += 1
            else:
                yield text
        translations.end(number)


class Subtitles:
    """SRT or WebVTT; each cue is a text, whose lines are one sentence."""

    def __init__(self, annotated: Annotated, markup: str):
        self._annotated, self._markup = annotated, MARKUPS[markup]

    def pieces(self) -> Iterator[Piece]:
        """Numbers and times, and the texts of the cues."""
        src, number = self._annotated.src, 0
        translations = Translations(self._annotated.tgt, src)
        for text, line in self._parts():
            if line:
                where = f"{src}, line {line}"
                yield markup_unit(self._markup, text, translations.next(where), self._annotated.segment, where)
                number += 1
            else:
                yield text
        translations.end(number)

    def _parts(self) -> Iterator[tuple[str, int]]:
        """Each part, and the line of one that is the text of a cue; 0 of others."""
        src, cue, begun, number = self._annotated.src, "", 0, 0
        for number, line in enumerate(read_lines(src), 1):
            if begun and not line.strip():
                yield from ((cue, begun), ("\n", 0)) if cue else ()
                cue, begun = "", 0
            if begun:
                cue, begun = f"{cue}\n{line}" if cue else line, begun if cue else number
                if len(cue) > MOST_CHARACTERS:
                    raise XalignError("a cue is too long", where=f"{src}, line {number}")
            else:
                yield f"{line}\n", 0
                begun = number * bool(TIMES.match(line))
        if cue:
            yield from ((cue, begun), ("\n", 0))
