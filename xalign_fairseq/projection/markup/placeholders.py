"""Placeholders of programs' messages: {0}, {name}, %s, %(name)s, %1$s, {{name}}, ${name}, ICU's arguments."""

import re
from collections.abc import Iterator

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.markup.marked import MarkedText, Token, marked

BEGIN = re.compile(r"[$#%]?\{|%")
PERCENT = re.compile(
    r"%(?:\([^()\s]+\)|\d+\$)?[-+#0]*\d*(?:\.\d+)?(?:hh?|ll?|[Lqzjt])?[diouxXeEfFgGcsSaAr@](?![A-Za-z])"
)


def read_placeholders(text: str) -> MarkedText:
    """A text and its placeholders.

    Raises:
        XalignError: a brace is not closed.

    Example::

        >>> read_placeholders("{0} of %d files").text
        'of files'
    """
    return marked(list(_tokens(text)))


def _tokens(text: str) -> Iterator[Token]:
    start = at = 0
    while match := BEGIN.search(text, at):
        at = match.start()
        if text.startswith("%%", at):
            at += 2
            continue
        if match[0] == "%":
            found = PERCENT.match(text, at)
            end = found.end() if found else at
        else:
            end = _closing_brace(text, match.end())
        if end == at:
            at += 1
            continue
        if start < at:
            yield Token(text[start:at], "text")
        yield Token(text[at:end], "point")
        start = at = end
    if start < len(text):
        yield Token(text[start:], "text")


def _closing_brace(text: str, at: int) -> int:
    depth = 1
    for brace in re.compile("[{}]").finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    raise XalignError("a brace is not closed", found=text[at - 1 : at + 40])
