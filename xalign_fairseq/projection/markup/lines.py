"""Marked-up files of one sentence per line: HTML, XML or placeholders."""

import re
from collections.abc import Iterable, Iterator

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.projection.markup.inline import HTML
from xalign_fairseq.projection.markup.pair import MARKUPS, Markup, markup_unit
from xalign_fairseq.projection.units import Annotated, Piece

# What begins code or a comment, which may reach over several lines.
ELEMENTS = "|".join(sorted(HTML.code))
CODE = {"html": re.compile(rf"<!--|<({ELEMENTS})\b[^<>]*>", re.IGNORECASE), "xml": re.compile("<!--")}


def marked_lines(files: Annotated, markup: str) -> Iterator[Piece]:
    """A unit for each line, and unchanged the code and comments that do not begin and end in it."""
    kind, number = MARKUPS[markup], 0
    translations = _Translations(files.tgt, files.src)
    lines = read_lines(files.src)
    parts = without_code(lines, CODE[markup]) if markup in CODE else (("", line, "") for line in lines)
    for number, (before, line, after) in enumerate(parts, 1):
        where = f"{files.src}, line {number}"
        yield before
        yield markup_unit(kind, line, translations.next(where, kind, line), files.segment, where)
        yield f"{after}\n"
    translations.end(number)


def without_code(lines: Iterable[str], begin: re.Pattern[str]) -> Iterator[tuple[str, str, str]]:
    """Each line in three parts: code that began in an earlier line, the text, and code that ends in a later one."""
    end = None
    for line in lines:
        start = at = 0
        if end:
            closing = end.search(line)
            if closing is None:
                yield line, "", ""
                continue
            start = at = closing.end()
        end, stop = None, len(line)
        while end is None and (opening := begin.search(line, at)):
            end = re.compile("-->" if opening[0] == "<!--" else rf"</{opening[1]}\s*>", re.IGNORECASE)
            if closing := end.search(line, opening.end()):
                end, at = None, closing.end()
            else:
                stop = opening.start()
        yield line[:start], line[start:stop], line[stop:]


class _Translations:
    """The lines of a translation, one for each line of a marked-up file; without a file they are empty."""

    def __init__(self, path: str | None, source: str):
        self._path, self._source = path, source
        self._lines: Iterator[str] = iter(()) if path is None else read_lines(path)

    def next(self, where: str, markup: Markup, source: str) -> str:
        """The translation of the next line; :class:`XalignError` if there is none, and the source has text."""
        line = "" if self._path is None else next(self._lines, None)
        if line is None and _has_text(markup, source):
            expected = f"a line for each line of {self._source}; there is none for {where}"
            raise XalignError("the translation has too few lines", where=self._path, expected=expected)
        return line or ""

    def end(self, texts: int) -> None:
        """:class:`XalignError` if there is text left."""
        if any(map(str.strip, self._lines)):
            where, expected = f"{self._path}, line {texts + 1}", f"{texts:,}, one for each line of {self._source}"
            raise XalignError("the translation has too many lines", where=where, expected=expected)


def _has_text(markup: Markup, source: str) -> bool:
    try:
        return bool(markup.read(source).text.strip())
    except XalignError:
        return True
