"""Files of gold links: in Pharaoh format, one line per pair, or in shared-task format, one line per link."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.pairs import AT_SPACES, SentencePairs, Split
from xalign_fairseq.links.pharaoh import Gold, Link, check_bounds, parse_line

# A pair's number, its two tokens, S or P (default S), and optionally the annotator's confidence.
_NUMBERED = re.compile(r"\s*([0-9]{1,9})\s+([0-9]{1,9})\s+([0-9]{1,9})(?:\s+([SP]))?(?:\s+[0-9.]+)?\s*")


class GoldText(NamedTuple):
    """Sentence pairs and their gold links."""

    pairs: SentencePairs
    golds: list[Gold]


def read_gold_text(
    src: StrPath,
    tgt: StrPath | None,
    gold: StrPath,
    *,
    needs_links: bool = True,
    split: tuple[Split, Split] = AT_SPACES,
) -> GoldText:
    """Read sentence pairs with their gold links, 0-based; line numbers and indices are checked against the text.

    Args:
        src, tgt: as in :class:`~xalign_fairseq.core.text.pairs.SentencePairs`.
        gold: as in :func:`read_gold`.
        split: splits a line of either side into words.
        needs_links: a gold file without links is an error, because it cannot score links.

    Raises:
        XalignError: a file is missing or malformed, or they do not match.
    """
    pairs = SentencePairs(src, tgt, split)
    lines = list(read_lines(gold, table=True))
    numbered, golds = _is_numbered(lines), _golds(lines, gold, 0, len(pairs))
    lengths = [(len(one), len(other)) for one, other in pairs]
    possible = [each.possible for each in golds]
    check_bounds(possible, lengths, where=gold, base=int(numbered), numbered=numbered, segmented=split is not AT_SPACES)
    if needs_links and not any(possible):
        raise XalignError("the gold file has no link", where=gold, expected="i-j (sure) and ipj (possible), 0-based")
    return GoldText(pairs, golds)


def is_numbered(path: StrPath) -> bool:
    """Whether the first non-empty line is a link in shared-task format: ``1 3 2 S``, 1-based."""
    return _is_numbered(read_lines(path, table=True))


def _is_numbered(lines: Iterable[str]) -> bool:
    return _NUMBERED.fullmatch(next((line for line in lines if line.strip()), "")) is not None


def read_gold(path: StrPath, *, base: int = 0, pairs: int | None = None) -> list[Gold]:
    """Read a file of gold links, one :class:`~xalign_fairseq.links.pharaoh.Gold` for each pair, 0-based.

    Args:
        path: Pharaoh links, ``i-j`` sure and ``ipj`` possible; or lines ``pair i j S`` and ``pair i j P`` of the shared
            tasks of 2003 and 2005 (Mihalcea & Pedersen), all 1-based. There, token 0 means no word; such lines are
            skipped.
        base: the index that a Pharaoh file gives to the first token, 0 or 1.
        pairs: number of pairs; numbered lines do not show it if the last pairs have no link.

    Raises:
        XalignError: the file is missing, empty or not UTF-8; a line is malformed (the error names it) or has a pair
            beyond ``pairs``.

    Example::

        >>> from pathlib import Path
        >>> _ = Path("test.gold").write_text("0-0 1p2")  # a line for each pair
        >>> [gold] = read_gold("test.gold")
        >>> sorted(gold.possible)
        [(0, 0), (1, 2)]
    """
    return _golds(list(read_lines(path, table=True)), path, base, pairs)


def _golds(lines: Sequence[str], path: StrPath, base: int, pairs: int | None) -> list[Gold]:
    if _is_numbered(lines):
        return _numbered(lines, path, pairs)
    return [parse_line(line, where=f"{path}, line {number}", base=base) for number, line in enumerate(lines, 1)]


def _numbered(lines: Sequence[str], path: StrPath, pairs: int | None) -> list[Gold]:
    found: dict[int, tuple[set[Link], set[Link]]] = {}
    for number, line in enumerate(lines, 1):
        match = _NUMBERED.fullmatch(line)
        if match is None and line.strip():
            form = "pair, source token, target token, S or P: 1 3 2 S"
            raise XalignError("a link is malformed", where=f"{path}, line {number}", found=line[:40], expected=form)
        if match is None:
            continue
        pair, i, j = (int(each) for each in match.group(1, 2, 3))
        if pair < 1 or (pairs is not None and pair > pairs):
            where, expected = f"{path}, line {number}", f"1 to {pairs}" if pairs else None
            raise XalignError("a link belongs to a missing pair", where=where, found=f"pair {pair}", expected=expected)
        if i and j:
            found.setdefault(pair, (set(), set()))[match[4] == "P"].add((i - 1, j - 1))
    golds = {pair: Gold(frozenset(sure), frozenset(possible)) for pair, (sure, possible) in found.items()}
    empty = Gold(frozenset(), frozenset())  # one shared object, as pairs may be numbered in a corpus of millions
    return [golds.get(pair, empty) for pair in range(1, (pairs or max(found, default=0)) + 1)]
