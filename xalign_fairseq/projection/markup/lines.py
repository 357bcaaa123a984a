"""Marked-up files of one sentence per line: HTML, XML or placeholders."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from itertools import repeat

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.compressed import open_file
from xalign_fairseq.core.text.lines import read_lines, require_file
from xalign_fairseq.projection.markup.inline import HTML
from xalign_fairseq.projection.markup.pair import MARKUPS, markup_unit
from xalign_fairseq.projection.units import Annotated, Piece

# The start of code or a comment, which may span several lines.
ELEMENTS = "|".join(sorted(HTML.code))
CODE = {"html": re.compile(rf"<!--|<({ELEMENTS})\b[^<>]*>", re.IGNORECASE), "xml": re.compile("<!--")}


def marked_lines(files: Annotated, markup: str) -> Iterator[Piece]:
    """A unit for each line, and unchanged the code and comments that do not begin and end in it."""
    kind, number = MARKUPS[markup], 0
    require_file(files.src)
    with open_file(files.src) as stream:
        yield "\ufeff" * (stream.read(3) == BOM_UTF8)
    translations = repeat("") if files.tgt is None else read_lines(files.tgt)
    lines = read_lines(files.src)
    parts = without_code(lines, CODE[markup]) if markup in CODE else (("", line, "") for line in lines)
    for number, (before, line, after) in enumerate(parts, 1):
        where = f"{files.src}, line {number}"
        if markup == "placeholders" and re.match(r'\s*\{\s*"', line):
            raise XalignError("an object of JSON in one line", where=where, remedy="put one string on each line")
        translation = next(translations, None)
        unit = markup_unit(kind, line, translation or "", files.segment, where)
        if translation is None and unit.src.text.strip():
            expected = f"a line for each line of {files.src}; there is none for {where}"
            raise XalignError("the translation has too few lines", where=files.tgt, expected=expected)
        yield from (before, unit, f"{after}\n")
    if files.tgt is not None and any(map(str.strip, translations)):
        where, expected = f"{files.tgt}, line {number + 1}", f"{number:,}, one for each line of {files.src}"
        raise XalignError("the translation has too many lines", where=where, expected=expected)


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
