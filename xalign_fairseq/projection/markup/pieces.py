"""The words of a sentence pair, cut into pieces wherever a tag can go, and the links between pieces."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise, takewhile
from unicodedata import category

from xalign_fairseq.core.text.segmentation import is_unspaced
from xalign_fairseq.core.text.segmented import SegmentedText, Span

TINY = 1e-9
PUNCTUATION_WORTH = 0.1  # weight of punctuation's links: words decide where a tag goes
STOP = re.compile(r"[,.;:!?)\]}»”]+(?:\s|$)|[。，、！？；：」』）]")
EMPTY = re.compile(  # brackets (with group 1) or quotation marks with only space inside
    r"(\(\s*\)|\[\s*\]|（\s*）|【\s*】)|[“„]\s*[“”]|[‘‚]\s*[‘’]|«\s*»|‹\s*›|「\s*」|『\s*』|《\s*》|\"\"|''|””|’’|»«|›‹"
)
PAUSES = tuple(".:!?…。．：！？")


class LinkedPieces:
    """Words of both sides, cut at edge punctuation and tags in equal words; links by source piece, sums by target."""

    def __init__(self, src: SegmentedText, tgt: SegmentedText, links: Mapping[tuple[int, int], float], tags: set[int]):
        self.text = tgt.text
        cores = [_core(src, span) for span in src.spans], [_core(tgt, span) for span in tgt.spans]
        cuts = sorted(tags.union(*cores[0]))
        sources = [_cut(span, cuts) for span in src.spans]
        equal = {(i, j) for i, j in links if src[i] == tgt[j]}
        inner = [set(core) for core in cores[1]]
        # Characters between empty quotation marks (False) or brackets (True).
        self.quoted, empty = (
            {at: bool(each[1]) for each in EMPTY.finditer(text) for at in range(each.start() + 1, each.end())}
            for text in (src.text, tgt.text)
        )
        for at in () if tags.isdisjoint(self.quoted) else empty:
            for j in tgt.words_in(at - 1, at):
                inner[j].add(at)
        for i, j in equal:
            shift = tgt.spans[j][0] - src.spans[i][0]
            inner[j].update(start + shift for start, _ in sources[i][1:])
        same: dict[Span, dict[int, Span]] = {}  # where linked words have the text of a piece of a word
        self._known = {i for i, _ in equal}  # words whose pieces have their own links
        for i, j in links.keys() - equal:
            start, stop = cores[0][i]
            for piece in [] if tags.isdisjoint(range(start + 1, stop)) else sources[i]:
                if start <= piece[0] < stop and (spot := _find(src.text, piece, cores[0][i], tgt.text, cores[1][j])):
                    same.setdefault(piece, {})[j] = spot
                    inner[j].update(spot)
                    self._known.add(i)
        targets = [_cut(span, sorted(inner[j])) for j, span in enumerate(tgt.spans)]
        self._source, self._cores = src.text, cores[0]
        self.src = [piece for word in sources for piece in word]
        self.tgt = [piece for word in targets for piece in word]
        self.empty = {at: empty[stop] for at, (_, stop) in enumerate(self.tgt, 1) if stop in empty}
        self._word = [number for number, word in enumerate(sources) for _ in word]
        self.worth = [PUNCTUATION_WORTH if _is_punctuation(tgt.text[slice(*span)]) else 1.0 for span in self.tgt]
        # The number of the first piece of each word.
        first, second = ([*accumulate(map(len, pieces), initial=0)] for pieces in (sources, targets))
        self._tgt_starts = set(second)
        # Source and target cuts inside a word without its edge punctuation; these, and those where no space is.
        self.inside = [_inside(cores[0], self.src), _inside(cores[1], self.tgt)]
        self.joined = [self.inside[0] | _joined(src, self.src), self.inside[1] | _joined(tgt, self.tgt)]
        self.marks = [_is_punctuation(src.text[slice(*span)]) for span in self.src]
        self.links: list[dict[int, float]] = [{} for _ in self.src]
        self.total = [0.0] * len(self.tgt)
        for (i, j), probability in links.items():
            if len(sources[i]) == len(targets[j]) == 1:
                self.links[first[i]][second[j]] = probability
                self.total[second[j]] += probability
                continue
            shift = tgt.spans[j][0] - src.spans[i][0]
            core, other = _cores_of_pair((src, i, cores[0][i]), (tgt, j, cores[1][j]))
            # A punctuation word, usual in text without spaces, corresponds to punctuation at the other word's edges.
            spots = {3 + piece[0]: same[piece].get(j, (0, 0)) for piece in sources[i] if piece in same}
            marks = _is_punctuation(src[i]) != _is_punctuation(tgt[j]) and (core, other) != (src.spans[i], tgt.spans[j])
            for a, (start, stop) in enumerate(sources[i], first[i]):
                for b, (begin, end) in enumerate(targets[j], second[j]):
                    overlap = begin < stop + shift and start + shift < end
                    found = (key for key, spot in spots.items() if spot[0] <= begin < spot[1])
                    parts = 3 + start if 3 + start in spots else _part(start, core), next(found, _part(begin, other))
                    alike = parts != (1, 1) if marks else parts[0] == parts[1]
                    if overlap if (i, j) in equal else alike:
                        self.links[a][b] = probability
                        self.total[b] += probability

    def within(self, start: int, stop: int) -> Span:
        """The source pieces that have one of these characters."""
        first = bisect_right(self.src, start, key=lambda span: span[1])
        return first, max(first, bisect_left(self.src, stop, key=lambda span: span[0]))

    def run(self, source: Span, free: Sequence[Span]) -> tuple[float, Span | None]:
        """The greatest weight of links to source words minus links to others, and its run of free target words."""
        if self.is_part(source) and self._word[source[0]] not in self._known:
            return 0.0, None
        weight = [-total * worth for total, worth in zip(self.total, self.worth, strict=True)]
        inside: dict[int, float] = {}
        touched = bisect_left(self._word, self._word[source[0]]), bisect_right(self._word, self._word[source[1] - 1])
        for i in range(*touched):
            for j, probability in self.links[i].items():
                weight[j] += probability * self.worth[j]
                if source[0] <= i < source[1]:
                    weight[j] += probability * self.worth[j]
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
        if span is None:  # all linked words have stronger links to other words: use the most probable one
            left = [j for j in inside if any(low <= j < high for low, high in free)]
            return 0.0, min(((j, j + 1) for j in left), key=lambda one: (-inside[one[0]], one), default=None)
        return best, span

    def whole(self, run: Span, free: Sequence[Span]) -> Span:
        """A run of target pieces, and the free words without links that no space separates from it."""
        (start, stop), total, joined = run, self.total, self.joined[1]
        low, high = next(each for each in free if each[0] <= start and stop <= each[1])
        before = takewhile(lambda at: at in joined and not total[at - 1], range(start, low, -1))
        after = takewhile(lambda at: at in joined and not total[at], range(stop, high))
        start = min([start, *(at - 1 for at in before if self.worth[at - 1] == 1)])
        return start, max([stop, *(at + 1 for at in after if self.worth[at] == 1)])

    def is_part(self, source: Span) -> bool:
        """Whether pieces are part of a word with spaces around it, but not its longer beginning."""
        start, stop = self.src[source[0]][0], self.src[source[1] - 1][1]
        core = self._cores[self._word[source[0]]]
        part, length = range(max(start, core[0]), min(stop, core[1])), core[1] - core[0]
        if self._word[source[0]] != self._word[source[1] - 1] or any(is_unspaced(self._source[at]) for at in part):
            return False
        return 0 < len(part) < length and not (start <= core[0] and 2 * len(part) >= length)

    def near(self, source: int, words: Span) -> Span | None:
        """The target pieces for a source piece or, if it is punctuation without a link, for the word it is at."""
        word = self._word[source]
        whole = bisect_left(self._word, word), bisect_right(self._word, word)
        return self.run((source, source + 1), [words])[1] or self.run(whole, [words])[1]

    def neighbour(self, source: int, forward: bool, within: Span, words: Span) -> tuple[int | None, int]:
        """The target cut next to the nearest word and punctuation marks that follow it, and the marks before it."""
        path = range(source, within[1]) if forward else range(source - 1, within[0] - 1, -1)
        marks = list(takewhile(self.marks.__getitem__, path))
        found = self.near(path[len(marks) if len(marks) < len(path) else 0], words) if path else None
        if found is None:
            return None, len(marks)
        at = found[not forward]
        for i in reversed(marks if len(marks) < len(path) else []):
            run = self.run((i, i + 1), [words])[1]
            at = run[not forward] if run and run[forward] == at else at
        return at, len(marks)

    def fewest_crossings(self, source: int, allowed: Iterable[int], first: bool = False) -> int:
        """The target cut with the fewest links across it and a source cut; of several, the nearest or the ``first``."""
        before = [0.0] * len(self.tgt)
        for links in self.links[:source]:
            for j, probability in links.items():
                before[j] += probability
        steps = (total - 2 * crossed for total, crossed in zip(self.total, before, strict=True))
        costs = list(accumulate(steps, initial=sum(before)))
        ratio = (1, 0) if first else (len(self.src), len(self.tgt))
        return min(allowed, key=lambda at: (round(costs[at], 6), abs(at * ratio[0] - source * ratio[1])))

    def borders(self, source: int, words: Span) -> list[int]:
        """Boundaries of words at spaces in a range of target pieces, with both ends; all for a cut within a word."""
        within_word = 0 < source < len(self.src) and self._word[source - 1] == self._word[source]
        starts = self._tgt_starts - (self.joined[1] if source not in self.joined[0] else set())
        inner = (at for at in range(words[0] + 1, words[1]) if within_word or at in starts)
        return [words[0], *inner, *words[1:]]

    @cached_property
    def breakable(self) -> set[int]:
        """Possible line ends: at spaces, and in a language without spaces before a word that is not punctuation."""
        gaps = [(at, self.tgt[at - 1][1], self.tgt[at][0]) for at in range(1, len(self.tgt))]
        spaced = {at for at, start, stop in gaps if any(map(str.isspace, self.text[start:stop]))}
        if 3 * len(spaced) >= len(gaps):
            return spaced
        return spaced | {at for at, _, stop in gaps if at in self._tgt_starts and self.text[stop].isalnum()}


def begins_with_stop(text: str, at: int) -> bool:
    """Whether punctuation that ends a clause begins here; no line may begin with it."""
    return STOP.match(text, at) is not None


def ends_with_pause(text: str) -> bool:
    """Whether punctuation separates a text from what follows it."""
    return text.rstrip().endswith(PAUSES)


def _core(words: SegmentedText, span: Span) -> Span:
    """The characters of a word without punctuation at its edges; all, if it is only punctuation."""
    word = words.text[slice(*span)]
    if word.isalnum():
        return span
    kinds = [category(character)[0] for character in word]
    inner = [i for i, kind in enumerate(kinds) if kind not in "PM"]
    if not inner:
        return span
    stop = inner[-1] + 1
    while stop < len(kinds) and kinds[stop] == "M":
        stop += 1
    return span[0] + inner[0], span[0] + stop


def _inside(spans: Iterable[Span], pieces: Sequence[Span]) -> set[int]:
    """The cuts between pieces that are inside a span."""
    begins = [begin for begin, _ in pieces]
    return {cut for start, stop in spans for cut in range(bisect_right(begins, start), bisect_left(begins, stop))}


def _joined(words: SegmentedText, pieces: Sequence[Span]) -> set[int]:
    """The cuts inside text without a space and its edge punctuation, in scripts with spaces between words."""
    cuts = _inside((_core(words, match.span()) for match in re.finditer(r"\S+", words.text)), pieces)
    return {cut for cut in cuts for at in pieces[cut][:1] if not any(map(is_unspaced, words.text[at - 1 : at + 1]))}


def _find(text: str, part: Span, word: Span, translation: str, other: Span) -> Span | None:
    """Where a linked word has the text of a part of a word: at the same end, or anywhere if it is not one letter."""
    wanted, found = text[slice(*part)], translation[slice(*other)]
    ends = (0, part[0] == word[0]), (len(found) - len(wanted), part[1] == word[1])
    at = next((at for at, is_end in ends if is_end and found.startswith(wanted, at)), -1)
    if at < 0 and not (len(wanted) == 1 and wanted.isalpha()):
        at = found.find(wanted)
    return None if at < 0 else (other[0] + at, other[0] + at + len(wanted))


def _is_punctuation(word: str) -> bool:
    return all(category(character)[0] in "PM" for character in word)


def _cores_of_pair(*sides: tuple[SegmentedText, int, Span]) -> list[Span]:
    """The cores of linked words. If only one ends in an apostrophe, as ``l'``, this is part of its core."""
    tails = [words.text[core[1] : words.spans[number][1]] for words, number, core in sides]
    whole = sorted(tails) in (["", "'"], ["", "’"])
    return [(core[0], words.spans[number][1] if whole else core[1]) for words, number, core in sides]


def _part(start: int, core: Span) -> int:
    """Whether a piece is before (0), in (1) or after (2) the core of its word."""
    return (start >= core[0]) + (start >= core[1])


def _cut(span: Span, cuts: Sequence[int]) -> list[Span]:
    start, stop = span
    inner = cuts[bisect_right(cuts, start) : bisect_left(cuts, stop)]
    return list(pairwise([start, *inner, stop]))
