"""The markup of a text on its translation, by word links.

Each tag goes where the links lead: a pair around the run of words that are linked to its words, a tag alone next to
the translation of the word that it touches. The result is nested as the source is, whatever the links are.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from xalign_fairseq.core.text.segmented import SegmentedText, Span
from xalign_fairseq.projection.markup.marked import Mark, MarkedText, walk
from xalign_fairseq.projection.units import Dropped

TINY = 1e-9


def place(
    source: MarkedText,
    src: SegmentedText,
    tgt: SegmentedText,
    links: Mapping[tuple[int, int], float],
    written: Sequence[str] | None = None,
) -> tuple[str, list[Dropped]]:
    """The translation with the markup of its source, and what no link says the place of.

    - A pair goes around the run of target words whose links to its words weigh most against links to other words. One
      that has no linked word goes around the unlinked words between the translations of its neighbours, or, without
      any, is empty and next to them.
    - A tag alone goes next to the translation of the word that it touches, or else of the other neighbour. At the very
      start or end of what it is in it stays there.
    - A break goes between two words, where it cuts the fewest links.
    - A tag within a word goes to the same place of an equal word, and around or next to any other.

    Args:
        source: with markup.
        src, tgt: the words of the source's text and of its translation.
        links: probability of each link (source word, target word).
        written: how each character of the translation is written; as it is by default.

    Example::

        >>> red = read_inline("the <b>red</b> house", HTML)
        >>> place(red, words(red.text), words("la maison rouge"), {(1, 2): 0.9, (2, 1): 0.9})
        ('la maison <b>rouge</b>', [])
    """
    placement = _Placement(source, src, tgt, links)
    placed = placement.marks(source.marks, (0, len(placement.src)), (0, len(placement.tgt)))
    out: list[str] = []
    _write(placed, (0, len(tgt.text)), tgt.text if written is None else written, out)
    return "".join(out), placement.dropped


@dataclass
class _Placed:
    """Where a mark goes: target words, and characters."""

    mark: Mark
    start: int
    stop: int
    children: list["_Placed"]


class _Placement:
    """The words of both sides, cut where a tag is within a word and the linked word is equal, and their links."""

    def __init__(
        self, source: MarkedText, src: SegmentedText, tgt: SegmentedText, links: Mapping[tuple[int, int], float]
    ):
        self.texts = source.text, tgt.text
        self.dropped: list[Dropped] = []
        cuts = sorted({at for mark in walk(source.marks) for at in (mark.start, mark.stop)})
        pieces = [_cut(span, cuts) for span in src.spans]
        equal = {(i, j) for i, j in links if src[i] == tgt[j]}
        inner: dict[int, set[int]] = {}
        for i, j in equal:
            shift = tgt.spans[j][0] - src.spans[i][0]
            inner.setdefault(j, set()).update(start + shift for start, _ in pieces[i][1:])
        targets = [_cut(span, sorted(inner.get(j, ()))) for j, span in enumerate(tgt.spans)]
        self.src = [piece for word in pieces for piece in word]
        self.tgt = [piece for word in targets for piece in word]
        self.word = [number for number, word in enumerate(pieces) for _ in word]
        first, second = _starts(pieces), _starts(targets)
        self.links: list[dict[int, float]] = [{} for _ in self.src]
        self.total = [0.0] * len(self.tgt)
        for (i, j), probability in links.items():
            shift = tgt.spans[j][0] - src.spans[i][0]
            for a, (start, stop) in enumerate(pieces[i], first[i]):
                for b, (begin, end) in enumerate(targets[j], second[j]):
                    if (i, j) not in equal or (begin < stop + shift and start + shift < end):
                        self.links[a][b] = probability
                        self.total[b] += probability

    def marks(self, marks: Sequence[Mark], within: Span, words: Span) -> list[_Placed]:
        """The places of neighbouring marks, within some source words and the target words for these."""
        low, high = words
        found: dict[int, Span] = {}  # target words of each mark that has some
        after: dict[int, bool] = {}  # whether a mark without any goes with the word before it
        source = [self._source(mark) for mark in marks]
        for i, mark in enumerate(marks):
            if mark.kind == "closing":
                low = self._border(source[i][1], within, (low, high))
                found[i] = words[0], low
            elif mark.kind == "opening":
                high = self._border(source[i][0], within, (low, high))
                found[i] = high, words[1]
        free = [(low, high)]
        weights = {
            i: self._run(source[i], free)[0]
            for i, mark in enumerate(marks)
            if mark.kind == "pair" and source[i][0] < source[i][1]
        }
        for i in sorted(weights, key=lambda i: (-weights[i], i)):
            if source[i] == within and (low, high) == words:
                found[i] = words
            elif run := self._run(source[i], free)[1] or self._between(marks[i], source[i], within, (low, high), free):
                found[i] = run
            else:
                continue
            free = [part for each in free for part in _without(each, found[i])]
        taken = list(found.items())
        for i, mark in enumerate(marks):
            if i not in found and mark.kind != "break":
                at, after[i] = self._loose(mark, source[i], within, (low, high))
                for other, (start, stop) in taken:
                    if start < at < stop:
                        after[i] = source[other][0] < source[i][0] <= source[other][1] or (
                            source[other][0] != source[i][1] and at - start > stop - at
                        )
                        at = stop if after[i] else start
                found[i] = at, at
        for i, at in self._breaks(marks, source, within, words, [span for _, span in taken]):
            found[i] = at, at
        return [self._placed(mark, source[i], found[i], after.get(i)) for i, mark in enumerate(marks)]

    def _source(self, mark: Mark) -> Span:
        """The source words of a mark."""
        first = bisect_right(self.src, mark.start, key=lambda span: span[1])
        return first, max(first, bisect_left(self.src, mark.stop, key=lambda span: span[0]))

    def _run(self, source: Span, free: Sequence[Span]) -> tuple[float, Span | None]:
        """The free target words whose links to some source words weigh most against links to others, and their weight.

        Links of other parts of the words that a tag cuts do not count.
        """
        weight = [-total for total in self.total]
        inside: dict[int, float] = {}
        touched = bisect_left(self.word, self.word[source[0]]), bisect_right(self.word, self.word[source[1] - 1])
        for i in range(*touched):
            for j, probability in self.links[i].items():
                weight[j] += probability
                if source[0] <= i < source[1]:
                    weight[j] += probability
                    inside[j] = inside.get(j, 0.0) + probability
        best, span = TINY, None
        for low, high in free:
            start, total = low, -1.0
            for j in range(low, high):
                if total < -TINY:
                    start, total = j, 0.0
                total += weight[j]
                longer = span is not None and total > best - TINY and j - start >= span[1] - span[0]
                if weight[j] > TINY and (total > best + TINY or longer):
                    while weight[start] <= TINY:
                        start += 1
                    best, span = total, (start, j + 1)
        if span is None:  # every linked word is more another word's: the most probable one
            left = [j for j in inside if any(low <= j < high for low, high in free)]
            return 0.0, min(((j, j + 1) for j in left), key=lambda one: (-inside[one[0]], one), default=None)
        return best, span

    def _between(self, mark: Mark, source: Span, within: Span, words: Span, free: Sequence[Span]) -> Span | None:
        """The target words without links between the translations of a pair's neighbours."""
        before = self._run((source[0] - 1, source[0]), [words])[1] if source[0] > within[0] else (words[0], words[0])
        after = self._run((source[1], source[1] + 1), [words])[1] if source[1] < within[1] else (words[1], words[1])
        if not before or not after or before[1] >= after[0] or any(self.total[before[1] : after[0]]):
            return None
        if not any(low <= before[1] and after[0] <= high for low, high in free):
            return None
        self._drop(mark, "no word of it is linked: around the unlinked words in its place")
        return before[1], after[0]

    def _border(self, source: int, within: Span, words: Span) -> int:
        """Where to cut the target words so that the fewest links cross a cut of the source; at an edge, there."""
        if source in within:
            return words[within.index(source)]
        return self._fewest_crossings(source, range(words[0], words[1] + 1))

    def _fewest_crossings(self, source: int, allowed: Iterable[int]) -> int:
        before = [0.0] * len(self.tgt)
        for links in self.links[:source]:
            for j, probability in links.items():
                before[j] += probability
        costs = list(
            accumulate((all_ - 2 * b for all_, b in zip(self.total, before, strict=True)), initial=sum(before))
        )
        return min(allowed, key=lambda at: (round(costs[at], 6), abs(at * len(self.src) - source * len(self.tgt))))

    def _loose(self, mark: Mark, source: Span, within: Span, words: Span) -> tuple[int, bool]:
        """Between which target words a mark without any goes, and whether it goes with the word before."""
        if source[0] < source[1]:
            self._drop(mark, "no word of it is linked, or only to others' words: empty, next to its neighbours")
        has_before, has_after = source[0] > within[0], source[1] < within[1]
        like_word = mark.opening != mark.opening.strip()  # it has spaces on both sides
        if not has_before and not (like_word and has_after):
            return words[0], False
        if not has_after and not like_word:
            return words[1], True
        before = self._run((source[0] - 1, source[0]), [words])[1] if has_before else None
        after = self._run((source[1], source[1] + 1), [words])[1] if has_after else None
        start, stop = self._gap(0, source[0])
        touches_after = mark.start == stop > start
        if before and after and before[1] == after[0]:
            return before[1], not touches_after
        if before and not (touches_after and after):
            return before[1], True
        if after:
            return after[0], False
        if source[0] == source[1]:
            self.dropped.append(
                Dropped(mark.tag.strip(), "no word next to it is linked: where it cuts the fewest links")
            )
        return self._fewest_crossings(source[0], range(words[0], words[1] + 1)), True

    def _breaks(
        self, marks: Sequence[Mark], source: Sequence[Span], within: Span, words: Span, taken: Sequence[Span]
    ) -> Iterator[tuple[int, int]]:
        """Each break, and between which target words it goes: in order, and within no other mark."""
        breaks = [i for i, mark in enumerate(marks) if mark.kind == "break"]
        allowed = [at for at in range(words[0], words[1] + 1) if not any(start < at < stop for start, stop in taken)]
        inner, last = [at for at in allowed if words[0] < at < words[1]], words[0]
        for number, i in enumerate(breaks):
            if source[i][0] in within:
                last = words[within.index(source[i][0])] if source[i][0] == within[1] else last
            else:
                left = [at for at in inner if at > last]
                left = left[: max(1, len(left) - (len(breaks) - number - 1))] or [at for at in allowed if at >= last]
                last = self._fewest_crossings(source[i][0], left)
                if not any(self.total):
                    self.dropped.append(
                        Dropped(marks[i].tag.strip() or "line break", "no link: by its relative position")
                    )
            yield i, last

    def _drop(self, mark: Mark, reason: str) -> None:
        self.dropped.append(Dropped(mark.tag.strip() or "line break", reason))

    def _gap(self, side: int, number: int) -> Span:
        """The characters between two words of the source (0) or the target (1)."""
        spans = (self.src, self.tgt)[side]
        start = spans[number - 1][1] if number else 0
        return start, spans[number][0] if number < len(spans) else len(self.texts[side])

    def _at(self, character: int, source: int, target: int, after: bool) -> int:
        """The character between two target words that corresponds to one between two source words."""
        (start, stop), (begin, end) = self._gap(0, source), self._gap(1, target)
        if self.texts[0][start:stop] == self.texts[1][begin:end]:
            return begin + character - start
        if start == stop:
            return begin if after else end
        return end if character == stop else min(begin + character - start, end)

    def _placed(self, mark: Mark, source: Span, words: Span, after: bool | None) -> _Placed:
        if mark.kind == "break":
            start, stop = self._break(mark, source[0], words[0])
        else:
            start = self._at(mark.start, source[0], words[0], bool(after))
            if words[0] < words[1] or source[0] == source[1]:
                stop = self._at(mark.stop, source[1], words[1], after is not False)
            else:
                stop = start
        return _Placed(mark, start, max(start, stop), self.marks(mark.children, source, words))

    def _break(self, mark: Mark, source: int, target: int) -> Span:
        """The characters that a break replaces: a space, if it does so in the source and there is one."""
        begin, end = self._gap(1, target)
        at = self._at(mark.start, source, target, after=True)
        if mark.start == mark.stop:
            return at, at
        spaces = [i for i in range(begin, end) if self.texts[1][i].isspace()]
        if not spaces:
            return at, at
        at = at if at in spaces else spaces[0]
        return at, at + 1


def _write(placed: Sequence[_Placed], within: Span, written: Sequence[str], out: list[str]) -> None:
    """Append some of the text with the marks in it."""
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


def _cut(span: Span, cuts: Sequence[int]) -> list[Span]:
    """A word in the pieces that the cuts within it make."""
    start, stop = span
    inner = cuts[bisect_right(cuts, start) : bisect_left(cuts, stop)]
    return list(pairwise([start, *inner, stop]))


def _starts(pieces: Sequence[Sequence[Span]]) -> list[int]:
    """The number of the first piece of each word."""
    return list(accumulate(map(len, pieces), initial=0))


def _without(span: Span, taken: Span) -> Iterator[Span]:
    """What is left of a span without some of it."""
    for start, stop in ((span[0], min(span[1], taken[0])), (max(span[0], taken[1]), span[1])):
        if start < stop:
            yield start, stop
