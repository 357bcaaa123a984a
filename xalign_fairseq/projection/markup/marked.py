"""A text without its markup, and the markup as a tree over its characters."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.segmented import SegmentedText
from xalign_fairseq.projection.units import Dropped

MOST_TAGS = 1000  # in one text
MOST_LEVELS = 100  # of nested tags
BLOCKS = re.compile(  # elements whose text is not part of the sentence next to them
    "address|article|aside|blockquote|body|caption|d[dlt]|div|fieldset|figcaption|figure|footer|form|h[1-6]|head|header"
    "|legend|li|main|nav|[ou]l|optgroup|option|p|pre|section|select|table|tbody|td|tfoot|th|thead|title|tr"
)


@dataclass(frozen=True)
class Token:
    """A piece of a marked-up text: ``raw`` is the source, ``text`` the character that an entity stands for.

    ``kind`` is ``text``, ``open``, ``close`` or ``point``; or ``placeholder``, a point that counts as a word; or
    ``break``, a point that cuts the text in two; or ``comment``, which stays in its text. Opening and closing tags of
    the same non-empty ``key`` are a pair.
    """

    raw: str
    kind: str
    key: str = ""
    text: str = ""


@dataclass
class Mark:
    """A pair of tags around characters ``start`` to ``stop``, or a single tag.

    ``kind`` is ``pair``, ``point``, ``placeholder``, ``break``, or a tag without partner: ``opening`` reaches to the
    end of the enclosing element, ``closing`` begins at its start.
    """

    opening: str
    closing: str
    start: int
    stop: int
    kind: str
    children: list["Mark"] = field(default_factory=list)

    @property
    def tag(self) -> str:
        """The tag as written; of a pair, the first."""
        return self.opening or self.closing


@dataclass(frozen=True)
class MarkedText:
    """A text and its markup, with the ``spellings`` of its characters and the numbers of its ``tags``."""

    text: str
    marks: list[Mark]
    spellings: Mapping[str, Sequence[str]]
    tags: Counter[str]
    comments: Mapping[int, str]  # before which character
    alone: Sequence[Dropped] = ()  # tags without a partner, if they need one
    several: bool = False  # whether several paragraphs, cells or other blocks have text

    def spelled(self, text: str, escapes: Mapping[str, str]) -> list[str]:
        """The spelling of each character of another text: as in this text, or escaped."""
        if not self.spellings:
            return [escapes.get(character, character) for character in text]
        seen: Counter[str] = Counter()
        written = []
        for character in text:
            known = self.spellings.get(character)
            written.append(known[min(seen[character], len(known) - 1)] if known else escapes.get(character, character))
            seen[character] += known is not None
        return written

    def as_written(self, words: SegmentedText) -> SegmentedText:
        """Words of this text, with the spelling of their characters."""
        written = self.spelled(self.text, {})
        ends = [*accumulate(map(len, written), initial=0)]
        return SegmentedText("".join(written), [(ends[start], ends[stop]) for start, stop in words.spans])


def walk(marks: Sequence[Mark]) -> Iterator[Mark]:
    """Every mark, and those within it."""
    for mark in marks:
        yield mark
        yield from walk(mark.children)


class _Builder:
    """Builds the tree, token by token."""

    def __init__(self, strict: bool):
        self.strict = strict
        self.text: list[str] = []
        self.raw: list[str] = []
        self.open: list[tuple[Token, int, list[Mark]]] = [(Token("", "open"), 0, [])]
        self.levels = 1
        self.alone: list[Dropped] = []
        self.between = self.several = False  # between two blocks; more than one has text

    def close(self, token: Token) -> None:
        """Close a pair. A closing tag without partner marks everything before it within the enclosing pair."""
        here = len(self.text)
        at = next((i for i in range(len(self.open) - 1, 0, -1) if self.open[i][0].key == token.key != ""), 0)
        if self.strict and not at:
            self.alone.append(Dropped(token.raw, "a closing tag has no opening tag"))
            return
        if not at:
            _, start, marks = self.open[-1]
            marks[:] = [Mark("", token.raw, start, here, "closing", marks[:])]
            self.check(1)
            return
        while len(self.open) > at + 1:
            self.end_alone()
        opening, start, marks = self.open.pop()
        self.open[-1][2].append(Mark(opening.raw, token.raw, start, here, "pair", marks))

    def separate(self, following: Sequence[Token]) -> None:
        """Put a space between the texts of two blocks."""
        texts, self.between = [each.text or each.raw for each in following if each.kind == "text" and each.raw], False
        if any(map(str.strip, texts)) and any(map(str.strip, self.text)):
            self.several = True
            if not self.text[-1].isspace() and not texts[0][0].isspace():
                self.text.append(" ")
                self.raw.append(" ")

    def end_alone(self) -> None:
        """Record that the innermost open tag is never closed."""
        opening, start, marks = self.open.pop()
        self.alone += [Dropped(opening.raw, "an opening tag has no closing tag")] * self.strict
        alone = [Mark(opening.raw, "", start, len(self.text), "opening", marks)]
        self.open[-1][2].extend(marks if self.strict else alone)

    def check(self, more: int) -> None:
        """:class:`XalignError` if tags are nested too deeply."""
        self.levels += more
        if self.levels + len(self.open) > MOST_LEVELS:
            raise XalignError("tags are nested too deeply", expected=f"at most {MOST_LEVELS} levels")


def marked(tokens: Sequence[Token], strict: bool = False) -> MarkedText:
    """A text and its markup from its pieces. A point between spaces includes one; breaks and blocks separate words."""
    tags = Counter(token.raw for token in tokens if token.kind not in ("text", "comment"))
    if tags.total() > MOST_TAGS:
        raise XalignError("a text has too many tags", expected=f"at most {MOST_TAGS:,}")
    made, comments = _Builder(strict), defaultdict[int, str](str)
    last = max((i for i, token in enumerate(tokens) if token.kind == "text" and token.raw), default=-1)
    skip = False  # skip the next character, a space that belongs to the point before it
    for i, token in enumerate(tokens):
        made.between = made.between or BLOCKS.fullmatch(token.key) is not None
        if made.between and token.kind != "close":
            made.separate(tokens[i:])
        if token.kind == "text":
            characters = token.text or token.raw
            raws = [token.raw] if len(characters) == 1 else list(token.raw)
            made.text += characters[skip:]
            made.raw += raws[skip:]
            skip = False
        elif token.kind == "comment":
            comments[len(made.text)] += token.raw
        elif token.kind == "open":
            made.open.append((token, len(made.text), []))
            made.check(0)
        elif token.kind == "close":
            made.close(token)
        else:
            skip = _point(made, tokens, i, last)
    while len(made.open) > 1:
        made.end_alone()
    spellings = defaultdict(list)
    spelled = [*zip(made.text, made.raw, strict=True)]
    written = {character for character, raw in spelled if raw != character or raw in "<>&"}
    for character, raw in spelled:
        if character in written:
            spellings[character].append(raw)
    return MarkedText("".join(made.text), made.open[0][2], spellings, tags, comments, made.alone, made.several)


def _point(made: _Builder, tokens: Sequence[Token], i: int, last: int) -> bool:
    """Add a point or a break; return whether the space after it belongs to it."""
    token, marks = tokens[i], made.open[-1][2]
    before, after = made.text[-1:], tokens[i + 1].raw[:1] if i < last and tokens[i + 1].kind == "text" else ""
    spaced = not before or before[0].isspace()
    raw = token.raw
    here = len(made.text)
    if spaced and after == " ":
        is_word = token.kind == "point" and before and not raw.startswith(("<!", "<?"))
        marks.append(Mark(f"{raw} ", "", here, here, "placeholder" if is_word else token.kind))
        return True
    free = made.open[-1][1] < here and (not marks or marks[-1].stop < here)
    if free and i > last and tokens[i - 1].kind == "text" and made.raw[-1] == " ":
        made.text.pop()
        made.raw.pop()
        marks.append(Mark(f" {raw}", "", here - 1, here - 1, token.kind))
        return False
    stop = here
    if token.kind == "break" and not spaced and i < last:
        following = next(each.text or each.raw for each in tokens[i + 1 :] if each.kind == "text" and each.raw)
        if not following[0].isspace():
            made.text.append(" ")
            made.raw.append(" ")
            stop = here + 1
    marks.append(Mark(raw, "", here, stop, token.kind))
    return False
