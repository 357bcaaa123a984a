"""USFM: paragraphs, verses, character styles and notes of Bible texts, each verse and heading a text of its own."""

import re
from collections.abc import Iterator

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.projection.markup.marked import MarkedText, Token, marked

PARAGRAPHS = r"(?:p[omr]?|m|cls|pm[ocr]?|pi\d?|mi|nb|pc|ph\d?|q[rcdm]?\d?|qm\d|lim?\d?|lf|lh|b)"
NOTES = r"(?:fe?|ef|ex?|x|fig|va|vp|ca)"
STYLES = (
    r"(?:\+\w+|add|addpn|bk|dc|em|bd|it|bdit|no|sc|sup|nd|ord|pn|png|pro|qs|qt|rb|sig|sls|tl|wj|w[aghj]?|k|jmp|lik|liv\d?"
    r"|f[rklqpwvm]|fqa|ft|fdc|x[okqt]|xta|xop|xot|xnt|xdc|rq|rt|z\w+)"
)
NOTE = rf"\\(?P<note>{NOTES})\b.*?\\(?P=note)\*"
MILESTONE = r"\\(?P<milestone>\w+?)(?P<side>-[se])?(?:\s*\|[^\\]*|\s)?\\\*"
CLOSE = r"(?:\|[^\\|]*)?\\(?P<close>\+?\w+)\*"
BREAK = rf"(?:\n|\\{PARAGRAPHS}(?![\w*+-]))[ \n]*"
OPEN = rf"\\(?P<open>{STYLES})(?![\w*-]) ?"
TOKEN = re.compile("|".join((NOTE, MILESTONE, CLOSE, f"(?P<break>{BREAK})", OPEN)), re.DOTALL)
EDGE = re.compile(rf"(?:\s|\\{PARAGRAPHS}(?![\w*+-]))*")
TEXT = re.compile(r"\S")
NUMBERED = re.compile(r"\\(?:v|c)\s+\S+\s?")
HARD = re.compile(
    rf"\\(?:(?:v|c)\s+\S+\s?|(?!(?:{PARAGRAPHS}|{NOTES}|{STYLES})(?![\w-])|\w+(?:-[se])?\s*(?:\|[^\\]*)?\\\*|\w+\*)\w+(?![\w*]) ?)"
)
UNTRANSLATED = re.compile(r"\\(?:id|ide|usfm|sts|rem|c|cp|restore|toca\d?|fig)\b")


def read_usfm(text: str) -> MarkedText:
    """A verse or a heading, and its markup; line breaks and paragraphs are breaks.

    Raises:
        XalignError: a backslash begins no marker.

    Example::

        >>> read_usfm(r"In the \\add very\\add* beginning\\f + \\ft Or: first\\f*").text
        'In the very beginning'
    """
    return marked(list(_tokens(text)))


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    for match in TOKEN.finditer(text):
        yield from _text(text[at : match.start()])
        raw = match[0]
        if match["milestone"]:
            kinds = {"-s": "open", "-e": "close"}
            kind = kinds.get(match["side"] or "", "point")
            yield Token(raw, kind, f"milestone {match['milestone']}")  # type: ignore[arg-type]
        elif match["close"]:
            yield Token(raw, "close", match["close"])
        elif match["open"]:
            yield Token(raw, "open", match["open"])
        else:
            yield Token(raw, "break" if match["break"] else "point")
        at = match.end()
    yield from _text(text[at:])


def _text(text: str) -> Iterator[Token]:
    if "\\" in text:
        raise XalignError("a backslash begins no marker", found=text[text.index("\\") :][:40])
    if text:
        yield Token(text, "text")


def texts(lines: Iterator[str], most: int) -> Iterator[tuple[bool, str, int]]:
    """A file in its parts: whether each is to be translated, its text, and its line.

    Raises:
        XalignError: a part has more than ``most`` characters.
    """
    literal, pending, translated, first = "", "", False, 1
    for number, line in enumerate(lines, 1):
        at, line = 0, f"{line}\n"
        while True:
            match = HARD.search(line, at)
            pending += line[at : match.start() if match else len(line)]
            if len(pending) > most:
                raise XalignError("a text is too long", where=f"line {number}", expected=f"at most {most:,} characters")
            if not match:
                break
            yield from _parts(literal, pending, translated, first)
            literal, pending, first = match[0], "", number
            translated = not UNTRANSLATED.match(match[0])
            at = match.end()
    yield from _parts(literal, pending, translated, first)


def _parts(literal: str, text: str, translated: bool, line: int) -> Iterator[tuple[bool, str, int]]:
    """A marker, and the text after it without the paragraphs around it."""
    lead = EDGE.match(text)
    start = lead.end() if lead else 0
    end = len(text)
    while end > start and (cut := max(text.rfind("\\", start, end), text.rfind("\n", start, end), start)) >= start:
        if EDGE.fullmatch(text, cut, end) is None or cut == end:
            break
        end = cut
    body = text[start:end]
    try:
        has_text = translated and TEXT.search(read_usfm(body).text)
    except XalignError:
        has_text = translated
    if not has_text:
        yield False, literal + text, line
        return
    yield False, literal + text[:start], line
    yield True, body, line
    yield False, text[end:], line
