"""Count linked words or phrases on disk, so that memory does not grow with the text."""

import heapq
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple

from xalign_fairseq.core.files import StrPath, scratch_folder
from xalign_fairseq.core.output import STANDARD_OUTPUT

AT_ONCE = 1 << 19  # distinct pairs in memory, twice: about 120 MB for short words; sorted files hold the rest
MOST_RUNS = 64  # files to merge at once
Item = tuple[str, int]  # a key's parts are joined by tabs


class CountedPair(NamedTuple):
    """A source and a target: their ``links``, the links of the source, of the target, and in ``total``."""

    src: str
    tgt: str
    links: int
    src_links: int
    tgt_links: int
    total: int

    @property
    def tgt_given_src(self) -> float:
        """p(t | s): the share of the source's links that go to this target."""
        return self.links / self.src_links

    @property
    def src_given_tgt(self) -> float:
        """p(s | t): the share of the target's links that come from this source."""
        return self.links / self.tgt_links

    @property
    def significance(self) -> float:
        r"""The log-likelihood ratio (Dunning, 1993), negative where the pair is rarer than chance.

        The 2 x 2 table k counts links with and without the source, with and without the target; e has the counts
        expected from the sums of rows and columns. The ratio is :math:`2 \sum k \ln(k / e)`; by chance, one in a
        thousand pairs exceeds 10.83.

        Example::

            >>> round(CountedPair("a", "x", 8, 10, 9, 100).significance, 2)
            39.51
        """
        both, row, column, total = self.links, self.src_links, self.tgt_links, self.total
        table = (
            (both, row, column),
            (row - both, row, total - column),
            (column - both, total - row, column),
            (total - row - column + both, total - row, total - column),
        )
        ratio = 2 * sum(k * math.log(k * total / (r * c)) for k, r, c in table if k)
        return ratio if both * total >= row * column else -ratio


def count_pairs(pairs: Iterable[tuple[str, str]], out: StrPath) -> Iterator[CountedPair]:
    """Count pairs of words or phrases, one per link, without tabs and line breaks.

    Half a million distinct pairs are counted in memory; more go to sorted files, which are merged at the end. This
    happens twice, because each side's totals need their own order. All partners of one word must fit in memory.

    Args:
        pairs: pairs of source and target.
        out: the output; temporary files are next to it, or for standard output (``-``) and devices in the system's
            temporary folder.

    Yields:
        each distinct pair, by source, then by falling count, then by target.

    Example::

        >>> next(count_pairs([("a", "x"), ("a", "x"), ("a", "y")], "-"))
        CountedPair(src='a', tgt='x', links=2, src_links=3, tgt_links=2, total=3)
    """
    with _folder(Path(out)) as folder:
        yield from _counted(pairs, folder)


def _counted(pairs: Iterable[tuple[str, str]], folder: Path) -> Iterator[CountedPair]:
    total = 0

    def by_target() -> Iterator[Item]:
        nonlocal total
        for src, tgt in pairs:
            total += 1
            yield f"{tgt}\t{src}", 1

    def with_target_links() -> Iterator[Item]:
        for tgt, sources in _groups(_sums(by_target(), folder / "by-target")):
            tgt_links = sum(count for _, count in sources)
            yield from ((f"{src}\t{tgt}\t{tgt_links}", count) for src, count in sources)

    for src, targets in _groups(_sums(with_target_links(), folder / "by-source")):
        src_links = sum(count for _, count in targets)
        for rest, count in sorted(targets, key=lambda item: (-item[1], item[0])):
            tgt, _, tgt_links = rest.partition("\t")
            yield CountedPair(src, tgt, count, src_links, int(tgt_links), total)


def write_counted(stream: IO[str], rows: Iterable[CountedPair], min_count: int = 1) -> int:
    """Write counted pairs as lines of TSV: source, target, count, p(t | s), p(s | t), significance.

    Returns:
        the number of written pairs.
    """
    written = 0
    for row in rows:
        if row.links >= min_count:
            numbers = f"{row.links}\t{row.tgt_given_src:.6g}\t{row.src_given_tgt:.6g}\t{row.significance:.2f}"
            stream.write(f"{row.src}\t{row.tgt}\t{numbers}\n")
            written += 1
    return written


@contextmanager
def _folder(out: Path) -> Iterator[Path]:
    if os.fspath(out) == STANDARD_OUTPUT or (out.exists() and not out.is_file()):
        with TemporaryDirectory() as folder:
            yield Path(folder)
    else:
        out.parent.mkdir(parents=True, exist_ok=True)
        with scratch_folder(out) as own:
            yield own


def _groups(items: Iterable[Item]) -> Iterator[tuple[str, list[Item]]]:
    """Group sorted items by the first part of their keys; grouped items keep the rest of their keys."""
    for first, group in groupby(items, lambda item: item[0].partition("\t")[0]):
        yield first, [(key.partition("\t")[2], count) for key, count in group]


def _sums(items: Iterable[Item], name: Path) -> Iterator[Item]:
    """The sum of each key's counts, sorted by key."""
    counts: Counter[str] = Counter()
    runs: list[Path] = []
    made = 0
    for key, count in items:
        counts[key] += count
        if len(counts) < AT_ONCE:
            continue
        full = _in_order(counts)
        if len(runs) == MOST_RUNS:
            full, runs = _merged(runs, full), []
        runs.append(name.with_name(f"{name.name}-{made}"))
        made += 1
        with open(runs[-1], "w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{key}\t{count}\n" for key, count in full)
        counts.clear()
    yield from _merged(runs, _in_order(counts))


def _in_order(counts: Counter[str]) -> Iterator[Item]:
    return ((key, counts[key]) for key in sorted(counts))


def _merged(runs: list[Path], rest: Iterable[Item]) -> Iterator[Item]:
    """The sums of sorted items and sorted files; the files are removed."""
    with ExitStack() as stack:
        streams = [stack.enter_context(open(run, encoding="utf-8", newline="\n")) for run in runs]
        for run in runs:
            run.unlink()  # the system removes it when it is closed
        for key, group in groupby(
            heapq.merge(*(map(_parse, stream) for stream in streams), rest), lambda item: item[0]
        ):
            yield key, sum(count for _, count in group)


def _parse(line: str) -> Item:
    key, _, count = line.rpartition("\t")
    return key, int(count)
