"""Pharaoh links: ``i-j`` sure, ``ipj`` possible, one line per sentence pair; parsing, writing, bounds, index base."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, Text, XalignError
from xalign_fairseq.core.text.lines import read_lines

Link = tuple[int, int]
MOST_DIGITS = 9
_LINK = re.compile(r"([0-9]+)([-p])([0-9]+)")


@dataclass(frozen=True)
class Gold:
    """The gold links of one sentence pair; every sure link is possible too, and is added to ``possible`` if missing.

    Example::

        >>> gold = Gold(sure={(0, 0)}, possible={(1, 2)})
        >>> sorted(gold.possible)
        [(0, 0), (1, 2)]
    """

    sure: frozenset[Link]
    possible: frozenset[Link]

    def __post_init__(self) -> None:
        object.__setattr__(self, "sure", frozenset(self.sure))
        object.__setattr__(self, "possible", frozenset(self.possible) | self.sure)


def parse_line(line: str, *, where: object = None, base: int = 0) -> Gold:
    """Parse ``0-0 1-2 2p1`` into 0-based links.

    Args:
        line: links separated by spaces; may be empty. Duplicate links count once; a link that is both sure and possible
            is sure.
        where: file and line, for errors.
        base: the index that the line gives to the first token, 0 or 1.

    Raises:
        XalignError: a malformed link, or an index below ``base``.

    Example::

        >>> gold = parse_line("0-0 1p2")
        >>> sorted(gold.sure), sorted(gold.possible)
        ([(0, 0)], [(0, 0), (1, 2)])
    """
    sure: set[Link] = set()
    possible: set[Link] = set()
    for item in line.split():
        # Longer items have too many digits: the cache never holds them.
        link = _parsed(item) if len(item) <= 2 * MOST_DIGITS + 1 else None
        if link is None:
            raise _malformed(item, where)
        i, j, is_sure = link[0] - base, link[1] - base, link[2]
        if i < 0 or j < 0:
            raise XalignError("a link has index 0 in a 1-based file", where=where, found=item)
        (sure if is_sure else possible).add((i, j))
    return Gold(frozenset(sure), frozenset(possible))


@lru_cache(1 << 16)
def _parsed(item: str) -> tuple[int, int, bool] | None:
    """``i, j, sure`` of one link, None if malformed; cached, as a text has few distinct links."""
    match = _LINK.fullmatch(item)
    if match is None or max(map(len, match.group(1, 3))) > MOST_DIGITS:
        return None
    return int(match[1]), int(match[3]), match[2] == "-"


def _malformed(item: str, where: object) -> XalignError:
    if _LINK.fullmatch(item):
        return XalignError(
            "a link has an invalid index", where=where, found=item[:40], expected=f"at most {MOST_DIGITS} digits"
        )
    return XalignError(
        "a link is malformed",
        where=where,
        found=item[:40],
        expected="i-j (sure) or ipj (possible), two whole numbers",
        remedy="this is JSON, but Pharaoh links are needed: align again with an output such as text.links"
        if item.startswith("{")
        else "give a file of Pharaoh links, one line per sentence pair; numbered lines (1 3 2 S) can only be gold; "
        "scores have the links in column 7 (cut -f 7)",
    )


def format_links(sure: Iterable[Link], possible: Iterable[Link] = ()) -> str:
    """Write 0-based links as one sorted line; links that are both sure and possible are written as sure."""
    marks = {link: "p" for link in possible} | {link: "-" for link in sure}
    return " ".join(f"{i}{marks[i, j]}{j}" for i, j in sorted(marks))


def read_links(path: str | os.PathLike[str]) -> list[set[Link]]:
    """Read a file of links, both sure and possible, one set per line, 0-based; errors name the line."""
    return [set(line.possible) for line in read_marked(path)]


def read_marked(path: str | os.PathLike[str], *, base: int = 0) -> list[Gold]:
    """Like :func:`read_links`, with the sure and the possible links of each line."""
    lines = enumerate(read_lines(path), 1)
    return [parse_line(line, where=f"{path}, line {number}", base=base) for number, line in lines]


def index_base_problem(links: Sequence[Iterable[Link]], lengths: Sequence[tuple[int, int]]) -> str | None:
    """Why links that were read as 0-based look 1-based; None if they do not.

    Links look 1-based if index 0 never occurs and more indices equal their sentence's length than exceed it (a gold
    file may have a stray link).
    """
    at_length = beyond = 0
    for sentence, (n, m) in zip(links, lengths, strict=True):
        for i, j in sentence:
            if i == 0 or j == 0:
                return None
            at_length += (i == n) + (j == m)
            beyond += (i > n) + (j > m)
    if at_length <= beyond:
        return None
    return f"looks 1-based: index 0 never occurs and an index equals its sentence's length {counted(at_length, 'time')}"


def require_links_of(pairs: int, lines: int, where: object) -> None:
    """Raise :class:`XalignError` unless there are as many lines of links as sentence pairs."""
    if lines != pairs:
        found, expected = f"{counted(lines, 'line')} of links", f"{pairs}, one per sentence pair"
        problem = "links and sentence pairs differ in number"
        raise XalignError(problem, where=where, found=found, expected=expected)


def check_bounds(
    links: Sequence[Iterable[Link]],
    lengths: Sequence[tuple[int, int]],
    *,
    where: object,
    remedy: Text | None = None,
    base: int = 0,
    first: int = 1,
    numbered: bool = False,
    segmented: bool = False,
) -> None:
    """Check 0-based links against the lengths of their sentences.

    Args:
        base: the index that the file gives to the first token; errors name links as the file does.
        first: the number of the first line, for part of a file.
        numbered: the file has a line for each link, with the pair's number.
        segmented: the user can choose the segmenter that finds the words.

    Raises:
        XalignError: numbers of lines differ (the error has both), or a link is outside its sentences (the error has the
            first line, link and lengths, and whether the file looks 1-based).
    """
    require_links_of(len(lengths), len(links), where)
    for number, (sentence, (n, m)) in enumerate(zip(links, lengths, strict=True), first):
        outside = [(i, j) for i, j in sentence if not (0 <= i < n and 0 <= j < m)]
        if outside:
            i, j = min(outside)
            is_shifted = not base and index_base_problem(links, lengths)
            order = "give links of this text, with sides in this order; words"
            raise XalignError(
                f"a link lies outside its sentences{'; the file ' + is_shifted if is_shifted else ''}",
                where=f"{where}, {'pair' if numbered else 'line'} {number}",
                found=f"link {i + base}-{j + base}, sentence lengths {n} and {m}",
                remedy=(remedy or "subtract 1 from every index")
                if is_shifted
                else ((order, "depend on", Parameter("segment")) if segmented else f"{order} are separated by spaces"),
            )


def one_based_evidence(links: Sequence[Iterable[Link]], others: Sequence[Iterable[Link]]) -> str | None:
    """Why ``links`` look 1-based, next to the 0-based ``others`` of the same sentences; None if they do not.

    For files without text. ``links`` look 1-based if index 0 occurs only in ``others``, and subtracting one from every
    index makes more links agree.
    """
    as_read = lowered = zeros = 0
    for ours, theirs in zip(links, others, strict=True):
        known = set(theirs)
        for i, j in ours:
            if i == 0 or j == 0:
                return None
            as_read += (i, j) in known
            lowered += (i - 1, j - 1) in known
        zeros += any(i == 0 or j == 0 for i, j in known)
    if zeros == 0 or lowered <= as_read:
        return None
    return (
        f"index 0 never occurs, though the other file has it in {zeros} lines; {as_read} of its links "
        f"agree with the other file, {lowered} would if every index were one less"
    )
