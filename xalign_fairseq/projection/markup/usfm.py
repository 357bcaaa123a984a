"""USFM: paragraphs, verses, character styles and notes of Bible texts, each verse and heading a text of its own."""

import re
from collections.abc import Iterable, Iterator

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
HARD = re.compile(
    rf"(\\v +[^\s\\]+\s?)|\\c +[^\s\\]+\s?|\\(?!(?:{PARAGRAPHS}|{NOTES}|{STYLES})(?![\w-])"
    r"|\w+(?:-[se])?\s*(?:\|[^\\]*)?\\\*|\w+\*)\w+(?![\w*]) ?"
)
MOST_CHARACTERS = 1 << 15  # limit for a verse or a heading
PARAGRAPH = re.compile(rf"{HARD.pattern}|(\\{PARAGRAPHS}(?![\w*+-]) ?)")  # ends a heading, but not a verse
UNTRANSLATED = re.compile(r"\\(?:id|ide|usfm|sts|rem|c|cp|restore|toca\d?|fig)\b")


def read_usfm(text: str) -> MarkedText:
    """A verse or a heading, and its markup; line breaks and paragraphs are breaks."""
    return marked(list(_tokens(text)))


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    for match in TOKEN.finditer(text):
        yield from _text(text[at : match.start()])
        raw = match[0]
        if match["milestone"]:
            kinds = {"-s": "open", "-e": "close"}
            kind = kinds.get(match["side"] or "", "point")
            yield Token(raw, kind, f"milestone {match['milestone']}")
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


def texts(lines: Iterable[str], where: str) -> Iterator[tuple[bool, str, int]]:
    """The parts of a file: whether a part is to be translated, its text, and its first line."""
    marker, pending, translated, first, ends = "", "", False, 1, PARAGRAPH
    for number, line in enumerate(lines, 1):
        at, line = 0, f"{line}\n"
        while match := ends.search(line, at):
            yield from _parts(marker, pending + line[at : match.start()], translated, first)
            ends = HARD if any(match.groups()) else PARAGRAPH
            marker, pending, first = match[0], "", number
            translated = not UNTRANSLATED.match(marker)
            at = match.end()
        pending += line[at:]
        if not translated:
            yield False, marker + pending, first
            marker, pending = "", ""
        if len(pending) > MOST_CHARACTERS:
            expected = f"at most {MOST_CHARACTERS:,} characters"
            raise XalignError("a verse is too long", where=f"{where}, line {number}", expected=expected)
    yield from _parts(marker, pending, translated, first)


def _parts(marker: str, text: str, translated: bool, line: int) -> Iterator[tuple[bool, str, int]]:
    """A marker, and the text after it, without the paragraphs around it."""
    start, stop, at, has_text = len(text), 0, 0, False
    for match in TOKEN.finditer(text):
        between = text[at : match.start()]
        if between.strip():
            start = min(start, at + len(between) - len(between.lstrip()))
            stop, has_text = at + len(between.rstrip()), True
        if not match["break"]:
            start, stop = min(start, match.start()), match.end()
        at = match.end()
    if rest := text[at:].strip():
        start = min(start, at + len(text[at:]) - len(text[at:].lstrip()))
        stop, has_text = at + text[at:].index(rest) + len(rest), True
    if not translated or not has_text:
        yield False, marker + text, line
        return
    yield False, marker + text[:start], line
    yield True, text[start:stop], line
    yield False, text[stop:], line
