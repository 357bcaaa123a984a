"""Place the markup of a text on its translation by word links; the nesting is always the source's."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from xalign_fairseq.core.text.segmentation import is_unspaced
from xalign_fairseq.core.text.segmented import SegmentedText, Span
from xalign_fairseq.projection.markup.marked import Mark, MarkedText, walk
from xalign_fairseq.projection.markup.pieces import LinkedPieces, begins_with_stop, ends_with_pause
from xalign_fairseq.projection.units import Dropped

ALONE = ("break", "point", "placeholder")
FAR = 3  # pieces between the translations of a tag's neighbours that make its place uncertain

UNMATCHED = "no matching words were found: the tags are empty, next to the translation of the word before or after"


def place(
    source: MarkedText,
    src: SegmentedText,
    tgt: SegmentedText,
    links: Mapping[tuple[int, int], float],
    written: Sequence[str],
) -> tuple[str, list[Dropped]]:
    """The translation with the markup of its source, and the marks that no link places.

    - A pair goes around the run of target words with the most links to its words and the fewest to others, weighted. A
      pair without linked words goes around the unlinked words between the translations of its neighbours. If there
      are none, the pair is empty and goes next to these translations. Words without links that no space separates from
      a pair belong to it, unless a word next to the pair in the source is not separated either.
    - A tag alone goes next to the translation of the word that it touches, otherwise of the nearest word, punctuation
      ignored; of two, of the word before it. At the very start or end of its element it stays there, but a placeholder
      with a space next to it goes with the word, if no punctuation separates the two. A tag between spaces is a
      placeholder. Those that touch stay together.
    - A tag alone between quotation marks or brackets goes between those of the translation, if they are empty.
    - A break goes between two words, where it cuts the fewest links.
    - A pair around a part of a word goes around its text in a linked word. Without it, the longer beginning of a word
      counts as the word; a pair around another part is empty, next to the word. Punctuation at the edges of a word is
      not part of it: a tag around ``house`` in ``house.`` goes around ``Haus`` in ``Haus!``.
    """
    pieces = LinkedPieces(src, tgt, links, {at for mark in walk(source.marks) for at in (mark.start, mark.stop)})
    placement = _Placement(source, pieces)
    placed = placement.marks(source.marks, (0, len(pieces.src)), (0, len(pieces.tgt)))
    out: list[str] = []
    _write(placed, (0, len(tgt.text)), written, out)
    return "".join(out), placement.dropped


@dataclass
class _Placed:
    """Where a mark goes: target words, and characters."""

    mark: Mark
    start: int
    stop: int
    children: list["_Placed"]


class _Placement:
    """Places the marks of one text, and records those that links do not place."""

    def __init__(self, source: MarkedText, pieces: LinkedPieces):
        self.pieces = pieces
        self.texts = source.text, pieces.text
        self.dropped: list[Dropped] = []
        self.filled: set[int] = set()  # cuts between quotation marks that are no longer empty

    def marks(self, marks: Sequence[Mark], within: Span, words: Span) -> list[_Placed]:
        """The places of neighbouring marks, within some source words and the target words for these."""
        marks, (low, high) = _joined(marks, self.texts[0]), words
        found: dict[int, Span] = {}  # target words of each mark with links
        after: dict[int, bool] = {}  # whether a mark without links goes with the word before it
        source = [self.pieces.within(mark.start, mark.stop) for mark in marks]
        for i, mark in enumerate(marks):
            if mark.kind == "closing":
                low = self._border(source[i][1], within, (low, high))
                found[i] = words[0], low
            elif mark.kind == "opening":
                high = self._border(source[i][0], within, (low, high))
                found[i] = high, words[1]
        free = [(low, high)]
        weights = {
            i: self.pieces.run(source[i], free)[0]
            for i, mark in enumerate(marks)
            if mark.kind == "pair" and source[i][0] < source[i][1]
        }
        for i in sorted(weights, key=lambda i: (-weights[i], i)):
            if source[i] == within and (low, high) == words:
                found[i] = words
            elif run := self.pieces.run(source[i], free)[1]:
                found[i] = run if self.pieces.joined[0].intersection(source[i]) else self.pieces.whole(run, free)
            elif not self.pieces.is_part(source[i]) and (run := self._between(source[i], within, (low, high), free)):
                found[i] = run
                self._drop(marks[i], "its words have no link: put around the unlinked words there")
            else:
                continue
            free = [part for each in free for part in _without(each, found[i])]
        taken = list(found.items())
        for i, mark in enumerate(marks):
            if i not in found and mark.kind != "break":
                quoted = self._quoted(mark, source[i][0], (low, high))
                at, after[i] = quoted or self._loose(mark, source[i], within, (low, high))
                inside = self.pieces.joined if mark.kind == "placeholder" else self.pieces.inside
                moves = not quoted and mark.kind != "pair" and source[i][0] not in inside[0]
                while moves and at in inside[1] and low < at < high:
                    at += 1 if after[i] else -1
                for other, (start, stop) in taken:
                    if start < at < stop:
                        after[i] = source[other][0] < source[i][0] <= source[other][1] or (
                            source[other][0] != source[i][1] and at - start > stop - at
                        )
                        at = stop if after[i] else start
                found[i] = at, at
        for i, at in self._breaks(marks, source, within, words, [span for _, span in taken]):
            found[i] = at, at
        made = [self._placed(mark, source[i], found[i], after.get(i)) for i, mark in enumerate(marks)]
        for before, each, mark in zip(made, made[1:], marks[1:], strict=False):
            if before.start == each.start and before.mark.opening.endswith(" ") and not mark.opening.startswith(" "):
                each.mark = replace(each.mark, opening=each.mark.opening.lstrip(" "))  # one space between them
        return made

    def _between(self, source: Span, within: Span, words: Span, free: Sequence[Span]) -> Span | None:
        """The target words without links between the translations of a pair's neighbours."""
        before = self.pieces.near(source[0] - 1, words) if source[0] > within[0] else (words[0], words[0])
        after = self.pieces.near(source[1], words) if source[1] < within[1] else (words[1], words[1])
        if not before or not after or before[1] >= after[0] or any(self.pieces.total[before[1] : after[0]]):
            return None
        if not any(low <= before[1] and after[0] <= high for low, high in free):
            return None
        return before[1], after[0]

    def _border(self, source: int, within: Span, words: Span) -> int:
        """The target cut for a source cut: the one that the fewest links cross; an edge stays an edge."""
        if source in within:
            return words[within.index(source)]
        return self.pieces.fewest_crossings(source, self.pieces.borders(source, words))

    def _loose(self, mark: Mark, source: Span, within: Span, words: Span) -> tuple[int, bool]:
        """The place of a mark without linked words between target words, and whether it belongs to the word before."""
        if source[0] < source[1]:
            self._drop(mark, UNMATCHED)
        has_before, has_after = source[0] > within[0], source[1] < within[1]
        like_word = mark.kind == "placeholder" and mark.opening != mark.opening.strip()  # spaces on both sides
        if like_word and has_before != has_after:
            text, (start, stop) = self.texts[0], (mark.start, mark.stop)
            like_word = not (ends_with_pause(text[:start]) if has_before else begins_with_stop(text, stop))
        if not has_before and not (like_word and has_after):
            return words[0], False
        if not has_after and not like_word:
            return words[1], True
        start, stop = self._gap(0, source[0])
        before, marks_before = self.pieces.neighbour(source[0], False, within, words)
        after, marks_after = self.pieces.neighbour(source[1], True, within, words)
        touches_before = mark.start == start < stop and mark.opening[:1] != " " and not marks_before
        touches_after = mark.start == stop > start and mark.opening[-1:] != " " and not marks_after
        left = self.pieces.near(source[0] - 1, words) if has_before else None
        right = self.pieces.near(source[1], words) if has_after else None
        if left and right and left[1] == right[0]:
            return left[1], not touches_after
        if before is None and after is None:
            if source[0] == source[1]:
                self._drop(mark, "no word next to it has a link: put where it separates the fewest linked words")
            before = self.pieces.fewest_crossings(source[0], self.pieces.borders(source[0], words))
        if before is None:
            assert after is not None
            return after, False
        if after is None:
            return before, True
        if source[0] == source[1] and not touches_before and not touches_after and abs(after - before) >= FAR:
            self._drop(mark, "the words before and after it are far apart in the translation: next to one of them")
        return (after, False) if touches_after or marks_after < marks_before else (before, True)

    def _quoted(self, mark: Mark, source: int, words: Span) -> tuple[int, bool] | None:
        """The place between empty quotation marks or brackets, for a mark that is alone between such characters."""
        kind = self.pieces.quoted.get(mark.start) if mark.start == mark.stop else None
        empty = {at for at, each in self.pieces.empty.items() if each == kind and words[0] <= at <= words[1]}
        if cuts := empty - self.filled:
            self.filled.add(at := self.pieces.fewest_crossings(source, cuts, first=True))
        return (at, True) if cuts else None

    def _breaks(
        self, marks: Sequence[Mark], source: Sequence[Span], within: Span, words: Span, taken: Sequence[Span]
    ) -> Iterator[tuple[int, int]]:
        """Each break and its place between target words: in source order, and inside no other mark."""
        breaks = [i for i, mark in enumerate(marks) if mark.kind == "break"]
        allowed = [at for at in range(words[0], words[1] + 1) if not any(start < at < stop for start, stop in taken)]
        allowed = [at for at in allowed if at in words or at not in self.pieces.inside[1]]
        inner, last = [at for at in allowed if at in self.pieces.breakable and words[0] < at < words[1]], words[0]
        stops = {at for at in allowed if at == words[1] or begins_with_stop(self.texts[1], self.pieces.tgt[at][0])}
        for number, i in enumerate(breaks):
            if source[i][0] in within:
                last = words[within.index(source[i][0])] if source[i][0] == within[1] else last
            else:
                left = [at for at in inner if at > last]
                if begins_with_stop(self.texts[0], marks[i].stop):
                    left = [at for at in allowed if at > last and (at in inner or at in stops)]
                else:
                    left = [at for at in left if at not in stops] or left
                left = left[: max(1, len(left) - (len(breaks) - number - 1))] or [at for at in allowed if at >= last]
                last = self.pieces.fewest_crossings(source[i][0], left)
                if not any(self.pieces.total):
                    self._drop(marks[i], "no word is linked: at its relative position")
            yield i, last

    def _drop(self, mark: Mark, reason: str) -> None:
        parts = mark.children if mark.kind in ALONE and mark.children else [mark]
        self.dropped += [Dropped(each.tag.strip() or "line break", reason) for each in parts]

    def _gap(self, side: int, number: int) -> Span:
        """The characters between two words of the source (0) or the target (1)."""
        spans = (self.pieces.src, self.pieces.tgt)[side]
        start = spans[number - 1][1] if number else 0
        return start, spans[number][0] if number < len(spans) else len(self.texts[side])

    def _at(self, character: int, source: int, target: int, after: bool) -> int:
        """The place between two target words, in characters, for a place between two source words."""
        (start, stop), (begin, end) = self._gap(0, source), self._gap(1, target)
        if self.texts[0][start:stop] == self.texts[1][begin:end]:
            return begin + character - start
        if start == stop:
            return begin if after else end
        return end if character == stop else min(begin + character - start, end)

    def _placed(self, mark: Mark, source: Span, words: Span, after: bool | None) -> _Placed:
        if words[0] in self.pieces.joined[1]:  # no space in a word
            mark = replace(mark, opening=mark.opening.strip(" "))
        begin, end = self._gap(1, words[0])
        if mark.kind == "break":
            start, stop = self._break(mark, source[0], words[0])
        elif words[0] in self.filled and mark.start in self.pieces.quoted:  # a space inside is on both sides
            space = self.texts[1][begin:end] if end - begin == 1 and mark.kind in ALONE else ""
            mark = replace(mark, opening=space + mark.opening.strip(" "))
            start = stop = begin + (end - begin > 1)
        else:
            start = self._at(mark.start, source[0], words[0], bool(after))
            is_empty = words[0] == words[1] and source[0] < source[1]
            stop = start if is_empty else self._at(mark.stop, source[1], words[1], after is not False)
            alone = mark.kind in ALONE and words[0] not in self.pieces.joined[1]
            mark = self._spaced(mark, start) if alone else mark
        children = [] if mark.kind in ALONE else self.marks(mark.children, source, words)
        return _Placed(mark, start, max(start, stop), children)

    def _spaced(self, mark: Mark, at: int) -> Mark:
        """A tag alone with its spaces: that of a side without a word stays; none in a text that has no spaces."""
        opening = mark.opening
        stops, ends = map(begins_with_stop, self.texts, (mark.start, at))
        sides = self.texts[1][max(0, at - 1) : at + 1]
        unspaced = len(sides.strip()) == 2 and any(map(is_unspaced, sides))
        if unspaced or (ends and not stops and mark.kind == "point"):
            return replace(mark, opening=opening.strip(" "))
        is_word = opening[:1] == " " or self.texts[0][mark.start - 1 : mark.start] == " "
        for before in (True, False):
            theirs, ours = (
                text[:place][-1:] if before else text[place : place + 1]
                for text, place in zip(self.texts, (mark.start, at), strict=True)
            )
            apart = theirs.isspace() or (is_word and stops and not before)
            if mark.kind == "placeholder":
                apart = apart or is_unspaced(theirs) > is_unspaced(ours) or not theirs.isalnum()
            moved = theirs and (not ours or (theirs.isalnum() and not before and ends))
            if moved or (is_unspaced(ours) and not is_unspaced(theirs)):
                opening = opening.lstrip(" ") if before else opening.rstrip(" ")
            elif apart and (ours.isalnum() or (before and theirs.isspace() and ends_with_pause(ours))):
                opening = f" {opening.lstrip()}" if before else f"{opening.rstrip()} "
        return mark if opening == mark.opening else replace(mark, opening=opening)

    def _break(self, mark: Mark, source: int, target: int) -> Span:
        """The characters that a break replaces: a space, if there is one and the break replaces one in the source."""
        begin, end = self._gap(1, target)
        at = self._at(mark.start, source, target, after=True)
        spaces = [i for i in range(begin, end) if self.texts[1][i].isspace()]
        if mark.start == mark.stop or not spaces:
            return at, at
        at = at if at in spaces else spaces[0]
        is_crlf = self.texts[1].startswith("\r\n", at)
        return at, min(at + mark.stop - mark.start + is_crlf, spaces[-1] + 1)


def _joined(marks: Sequence[Mark], text: str) -> list[Mark]:
    """Join adjacent marks without content, and breaks with only space between them, into one mark with children."""
    joined: list[Mark] = []
    for mark in marks:
        last = joined[-1] if joined else mark
        between, kinds = text[last.stop : mark.start], {last.kind, mark.kind}
        touch = not between and not last.opening.endswith(" ") and not mark.opening.startswith(" ")
        if "break" in kinds:
            touch = kinds == {"break"} and not between.strip(" \t\n")
        if joined and touch and kinds.issubset(ALONE):
            kind, parts = max(last.kind, mark.kind, key=ALONE.index), [*(last.children or [last]), mark]
            joined[-1] = Mark(last.opening + between + mark.opening, "", last.start, mark.stop, kind, parts)
        else:
            joined.append(mark)
    return joined


def _write(placed: Sequence[_Placed], within: Span, written: Sequence[str], out: list[str]) -> None:
    """Append part of the text with its marks."""
    here, end = within
    for each in sorted(placed, key=lambda each: (each.start, each.stop)):
        start = min(max(here, each.start), end)
        stop = min(max(start, each.stop), end)
        out += written[here:start]
        out.append(each.mark.opening)
        if each.mark.kind != "break":
            _write(each.children, (start, stop), written, out)
        out.append(each.mark.closing)
        here = stop
    out += written[here:end]


def _without(span: Span, taken: Span) -> Iterator[Span]:
    """The parts of a span outside another span."""
    for start, stop in ((span[0], min(span[1], taken[0])), (max(span[0], taken[1]), span[1])):
        if start < stop:
            yield start, stop
