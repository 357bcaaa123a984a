"""A marked-up text and its plain translation, as a unit of projection."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from xalign_fairseq.aligner.protocol import Links
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.segmentation import Segmenter
from xalign_fairseq.projection.markup.inline import (
    BILINGUAL,
    ESCAPES,
    HTML,
    NEXT,
    TAG,
    XML,
    at_placeholders,
    canonical,
    numbered,
    read_inline,
    read_placeholders,
)
from xalign_fairseq.projection.markup.marked import MarkedText, walk
from xalign_fairseq.projection.markup.placement import place
from xalign_fairseq.projection.units import Dropped, Projected, Unit

MOST_CHARACTERS = 1 << 20  # limit for a text with its markup
TAGGED = "the translation already has tags"
REORDERED = "the order of placeholders without numbers has changed"
ADDED = "the translation has this tag, but its source does not"


@dataclass(frozen=True)
class Markup:
    """A kind of markup: how to find it in a text, and which characters are escaped.

    ``target`` describes the translation: ``plain``; ``placeholders``, if it may already have some; or ``inline``, with
    entities and comments but no tags yet.
    """

    read: Callable[[str], MarkedText]
    escapes: Mapping[str, str] = field(default_factory=dict)
    target: str = "plain"


MARKUPS = {
    "html": Markup(partial(read_inline, dialect=HTML), ESCAPES),
    "xml": Markup(partial(read_inline, dialect=XML), ESCAPES),
    "placeholders": Markup(read_placeholders, target="placeholders"),
    "bilingual": Markup(partial(read_inline, dialect=BILINGUAL), ESCAPES, "inline"),
}


def markup_unit(markup: Markup, source: str, target: str, segment: Segmenter, where: str) -> Unit:
    """A marked-up text and its translation, which stays unchanged if markup is broken or if it already has tags."""
    words = markup.target == "placeholders"  # those in the translation are words
    try:
        bare = _read(markup, source)
        there = _read_target(markup, bare, target)
        have_numbers = words and any(re.match(r"%\d+\$", tag) for tag in there.tags)
        if have_numbers and not any(map(re.compile(r"\{\W").match, bare.tags)):  # then those of the source get some
            parts = at_placeholders(source)
            parts[1::2] = numbered(parts[1::2])
            bare = markup.read(source := "".join(parts))
    except XalignError:
        return Unit.fixed(segment(source), segment(target), where, target, *left_out(markup, source, target))
    known, added = bare.tags - Counter(_lacking(bare.tags, there.tags)), _lacking(there.tags, bare.tags) * words
    read, plain = (read_placeholders(source, known), markup.read(target).text) if words else (bare, there.text)
    tags = read.tags - Counter(each.item for each in read.alone) + there.tags
    arguments = _Arguments(source, read) if words else None
    src, tgt = segment(read.text), segment(there.text)
    comments = [there.comments.get(at, "") for at in range(len(there.text) + 1)]  # of the translation

    def project(links: Links) -> Projected:
        spelled = (read if markup.target == "plain" else there).spelled(there.text, markup.escapes)
        for written in (spelled, [markup.escapes.get(each, each) for each in there.text]):
            written = [*map(str.__add__, comments, written)]
            written[-1:] = [last + comments[-1] for last in written[-1:]]
            text, dropped = place(read, src, tgt, links, written)
            text, dropped = arguments.write(text, dropped) if arguments else (text, dropped)
            if _is_right(markup, text, tags, plain, [*there.comments.values()]):
                placed = sum(1 for _ in walk(read.marks)) - sum(each.reason != REORDERED for each in dropped)
                return Projected(text, placed, (*read.alone, *dropped, *(Dropped(tag, ADDED) for tag in added)))
        reason = "the translation has characters that would be markup"
        return Projected(target, 0, left_out(markup, source, "" if markup.target == "plain" else target, reason))

    def counted() -> tuple[list[range], list[range]]:
        """The words for each word of the source without placeholders, and of the translation."""
        places = (at for at, each in enumerate(read.spelled(read.text, {})) if len(each.strip()) == 1)
        at = dict(zip((at for at, each in enumerate(bare.text) if each.strip()), places, strict=True))
        ours = [src.words_in(at[start], at[stop - 1] + 1) for start, stop in segment(bare.text).spans]
        return ours, [both[1].words_in(*span) for span in segment(target).spans]

    both = (read.as_written(src), there.as_written(tgt)) if words else (src, tgt)
    asks = bool(read.marks and src.spans and tgt.spans)
    return Unit(*both, where, project, asks, read.several, counted if words else None)


class _Arguments:
    """The arguments that the placeholders of a source stand for; the marks of ``read`` get their numbers."""

    def __init__(self, source: str, read: MarkedText):
        tags = at_placeholders(source)[1::2]
        self.plain: dict[str, str] = {}  # with its number or name -> as in the source
        self.there = defaultdict[str, list[str]](list)  # of the translation's: as in the source -> with its number
        for name, tag in zip(numbered(tags), tags, strict=True):
            self.plain[name] = tag
            self.there[tag].append(name)
        for mark in reversed(read.marks):
            mark.opening = mark.opening.replace(mark.tag.strip(), self.there[mark.tag.strip()].pop())

    def write(self, text: str, dropped: list[Dropped]) -> tuple[str, list[Dropped]]:
        """The text, numbered only if the order has changed; and what was dropped, or changed without numbers."""
        parts, there = at_placeholders(text), {tag: iter(names) for tag, names in self.there.items()}
        names = [each if each in self.plain else next(there.get(each, iter(())), each) for each in parts[1::2]]
        given = [[*self.plain].index(name) for name in names if self.plain.get(name, name) != name]
        dropped = [Dropped(self.plain.get(each.item, each.item), each.reason) for each in dropped]
        if given != sorted(given) and all(name[0] == "%" and not NEXT.match(name) for name in names):
            parts[1::2] = names
            return "".join(parts), dropped
        parts[1::2] = plain = [self.plain.get(name, name) for name in names]
        return "".join(parts), dropped + [Dropped(" ".join(plain), REORDERED)] * (given != sorted(given))


def _read(markup: Markup, text: str) -> MarkedText:
    if len(text) > MOST_CHARACTERS:
        raise XalignError("a text is too long", expected=f"at most {MOST_CHARACTERS:,} characters")
    return markup.read(text)


def _read_target(markup: Markup, source: MarkedText, target: str) -> MarkedText:
    """Read the translation; :class:`XalignError` if it already has tags."""
    if markup.target == "plain":
        there = {canonical(tag[0]) for tag in TAG.finditer(target)}
        if any(tag in target or canonical(tag) in there for tag in source.tags):
            raise XalignError(TAGGED)
        return MarkedText(target, [], {}, Counter(), {})
    read = _read(markup, target)
    if markup.target == "placeholders":
        return replace(read_placeholders(target, read.tags), tags=read.tags)
    if read.marks:
        raise XalignError(TAGGED)
    return read


def _lacking(tags: Counter[str], others: Counter[str]) -> list[str]:
    """The tags of a text that another text lacks, compared by spelling, the rest by canonical form."""
    left, lacking = Counter(map(canonical, (others - tags).elements())), []
    for tag in (tags - others).elements():
        left[canonical(tag)] -= 1
        lacking += [tag] * (left[canonical(tag)] < 0)
    return lacking


def left_out(markup: Markup, source: str, target: str, reason: str = "") -> tuple[Dropped, ...]:
    """The tags in which an unchanged translation differs from its source; an unreadable text counts as one."""
    try:
        both = [_read(markup, text) for text in (source, target)]
    except XalignError as error:
        if error.found is None:  # a limit
            return (Dropped(source[:80], f"{error.problem}: {error.expected}"),)
        others = TAG.finditer(source[:MOST_CHARACTERS] if markup.escapes else "")
        reason = "not copied, because another part of the text cannot be read"
        return (Dropped(str(error.found), error.problem), *(Dropped(tag[0], reason) for tag in others if not tag[1]))
    implied = ("</",) * (markup.target == "inline")  # the file is XML, so end tags of elements are there
    wanted, found = (Counter(tag for tag in read.tags.elements() if not tag.startswith(implied)) for read in both)
    alone = Counter(each.item for each in both[0].alone)
    missing = [Dropped(tag, reason or f"{TAGGED}: add this one by hand") for tag in _lacking(wanted - alone, found)]
    added = [Dropped(tag, ADDED) for tag in _lacking(found, wanted)]
    return (*both[0].alone, *missing, *added)


def _is_right(markup: Markup, text: str, tags: Counter[str], plain: str, comments: list[str]) -> bool:
    """Whether reading the result gives these tags, text and comments, spaces ignored: a break may be a space."""
    try:
        read = markup.read(text)
        same = not _lacking(read.tags, tags) and not _lacking(tags, read.tags) and [*read.comments.values()] == comments
        return same and "".join(read.text.split()) == "".join(plain.split())
    except XalignError:
        return False
