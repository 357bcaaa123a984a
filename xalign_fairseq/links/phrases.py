"""Phrase pairs consistent with the word links of a sentence pair (Och and Ney, 2004)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.output import Output
from xalign_fairseq.links.counting import count_pairs, write_counted
from xalign_fairseq.links.linked_text import LinkedText
from xalign_fairseq.links.pharaoh import Link, format_links


class PhrasePair(NamedTuple):
    """Words ``src_start`` to ``src_end`` (exclusive) of the source, and the same for the target."""

    src_start: int
    src_end: int
    tgt_start: int
    tgt_end: int


def phrase_pairs(links: Iterable[Link], n: int, m: int, max_length: int = 7) -> Iterator[PhrasePair]:
    """Every pair of word sequences with a link between them and no link to other words.

    Words without links are free: each phrase pair occurs with and without free words at its edges. Time grows with the
    number of source words, not with n * m.

    Args:
        links: 0-based (i, j), i < n, j < m.
        n, m: numbers of source and target words.
        max_length: maximum number of words on a side.

    Yields:
        phrase pairs by source position.

    Example::

        list(phrase_pairs({(0, 1), (1, 0)}, 2, 2))  # (0, 1, 1, 2), (0, 2, 0, 2), (1, 2, 0, 1)
    """
    partners: list[list[int]] = [[] for _ in range(n)]
    partners_of_tgt: list[list[int]] = [[] for _ in range(m)]
    for i, j in links:
        partners[i].append(j)
        partners_of_tgt[j].append(i)
    for start in range(n):
        low, high = m, -1  # range of target words linked to the source words so far
        for end in range(start + 1, min(start + max_length, n) + 1):
            low, high = min([low, *partners[end - 1]]), max([high, *partners[end - 1]])
            if high < 0:
                continue
            if high - low >= max_length:
                break
            if all(start <= i < end for j in range(low, high + 1) for i in partners_of_tgt[j]):
                for tgt_start, tgt_end in _with_free_edges(partners_of_tgt, low, high + 1, max_length):
                    yield PhrasePair(start, end, tgt_start, tgt_end)


def write_phrases(text: LinkedText, out: str, max_length: int = 7, counts: bool = False, min_count: int = 1) -> str:
    r"""Write phrase pairs of up to ``max_length`` words per side; returns the numbers of sentence and phrase pairs.

    Each occurrence is a line with links; with ``counts`` each distinct pair of at least ``min_count`` occurrences is
    written once by :func:`~xalign_fairseq.links.counting.write_counted`. ``-`` is standard output.

    Example::

        >>> from pathlib import Path
        >>> for name, line in (("a.en", "the house"), ("a.de", "das Haus"), ("a.links", "0-0 1-1")):
        ...     _ = Path(name).write_text(f"{line}\n")
        >>> write_phrases(LinkedText("a.en", "a.de", "a.links"), "phrases.tsv", counts=True)
        '1 sentence pair, 3 different phrase pairs'
        >>> [line.split("\t")[:3] for line in open("phrases.tsv")]
        [['house', 'Haus', '1'], ['the', 'das', '1'], ['the house', 'das Haus', '1']]
    """
    if min_count > 1 and not counts:
        remedy = ("add", Parameter("counts"))
        raise XalignError("only counted phrase pairs have a minimum count", parameter="min_count", remedy=remedy)
    with Output(out, record=None, resume=False, inputs=text.paths, kind="phrases").open() as stream:
        if counts:
            found = ((src, tgt, phrase_pairs(links, len(src), len(tgt), max_length)) for src, tgt, links in text)
            words = ((" ".join(src[a:b]), " ".join(tgt[c:d])) for src, tgt, each in found for a, b, c, d in each)
            written = write_counted(stream, count_pairs(words, out), min_count)
            return f"{counted(len(text), 'sentence pair')}, {counted(written, 'different phrase pair')}"
        written = 0
        for src, tgt, links in text:
            lines = list(phrase_lines(src, tgt, links, max_length))
            stream.writelines(lines)
            written += len(lines)
        return f"{counted(len(text), 'sentence pair')}, {counted(written, 'phrase pair')}"


def phrase_lines(src: Sequence[str], tgt: Sequence[str], links: Iterable[Link], max_length: int = 7) -> Iterator[str]:
    """One line per phrase pair: both phrases and the links inside, counted from the phrases' first words."""
    of_word: dict[int, list[int]] = {}
    links = list(links)
    for i, j in links:
        of_word.setdefault(i, []).append(j)
    for start, end, tgt_start, tgt_end in phrase_pairs(links, len(src), len(tgt), max_length):
        inside = ((i - start, j - tgt_start) for i in range(start, end) for j in of_word.get(i, ()))
        yield f"{' '.join(src[start:end])}\t{' '.join(tgt[tgt_start:tgt_end])}\t{format_links(inside)}\n"


def _with_free_edges(partners: list[list[int]], start: int, end: int, max_length: int) -> Iterator[tuple[int, int]]:
    """The sequence, and longer sequences with unlinked words before and after it."""
    first = start
    while first > 0 and not partners[first - 1] and end - first < max_length:
        first -= 1
    for begin in range(first, start + 1):
        last = end
        yield begin, last
        while last < len(partners) and not partners[last] and last - begin < max_length:
            last += 1
            yield begin, last
