"""The two streams of pre-training, bitext of many pairs and monolingual blocks, read from mmap piece by piece."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xalign_fairseq.data import sampling
from xalign_fairseq.data.mmap import MMapReader

BITEXT, MONO = 0, 1  # part of the keys of random draws, so that pairs and blocks have different draws
CHUNK = 1 << 16  # draws counted at a time


@dataclass
class Corpus:
    """One language pair: both sides (ids and a final ``</s>`` each) and, where prepared, word links.

    ``number`` identifies the pair in batches and ``langs`` the languages of its sides; they are the same in all splits.
    """

    number: int
    src: MMapReader
    tgt: MMapReader
    links: Any = None
    langs: tuple[int, int] = (0, 1)


@dataclass
class Pair:
    """One sentence pair as it is read: ids without ``</s>``; links are word-level triples (i, j, sure)."""

    corpus: int
    src: np.ndarray
    tgt: np.ndarray
    src_words: np.ndarray | None = None
    tgt_words: np.ndarray | None = None
    links: np.ndarray | None = None
    langs: tuple[int, int] = (0, 1)


class BitextStream:
    """Sentence pairs of several corpora, drawn by temperature.

    An item is a pair in one direction: item 2k is pair k as stored, and item 2k + 1 the same pair with its sides
    exchanged (only the first kind if ``both_directions`` is off). The sequence is ``<s> src </s> tgt </s>``. Its length
    includes the special tokens; the length of a side does not.
    """

    def __init__(
        self,
        corpora: Sequence[Corpus],
        max_length: int,
        both_directions: bool = True,
        side_lengths: tuple[int, int | None] = (0, None),
    ):
        self.corpora = list(corpora)
        self.max_length = max_length
        self.side_lengths = side_lengths
        self.directions = 2 if both_directions else 1
        self.counts = [len(corpus.src) * self.directions for corpus in self.corpora]
        self.offsets = np.concatenate([[0], np.cumsum(self.counts)])

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def epoch(
        self, seed: int, epoch: int, temperature: float = 1.0, items: int | None = None, visit: int | None = None
    ) -> tuple[np.ndarray, int]:
        """Items of an epoch in random order, without over-long items, and the number of skipped items.

        Args:
            items: draws in an epoch; by default one for each pair and direction, so that T = 1 sees everything once.
            visit: the number of earlier epochs that read the corpora; this epoch continues there. By default all
                earlier epochs.
        """
        shares = sampling.temperature_shares(self.counts, temperature)
        earlier = epoch - 1 if visit is None else visit
        counts, starts = sampling.epoch_shares(items or len(self), shares, earlier)
        drawn = [
            self.offsets[number] + sampling.draw(size, starts[number], counts[number], (seed, BITEXT, number))
            for number, size in enumerate(self.counts)
        ]
        return self._kept(np.random.default_rng((seed, BITEXT, epoch)).permutation(np.concatenate(drawn)))

    def all(self) -> tuple[np.ndarray, int]:
        """Every item in stored order, for validation; over-long items are skipped and counted."""
        return self._kept(np.arange(len(self)))

    def _kept(self, items: np.ndarray) -> tuple[np.ndarray, int]:
        """The items within the length limits, and the number of the others."""
        sides = self.sides(items)
        shortest, longest = self.side_lengths
        keep = (sides.sum(1) + 3 <= self.max_length) & (sides.min(1) >= shortest)
        if longest is not None:
            keep &= sides.max(1) <= longest
        return items[keep], int((~keep).sum())

    def locate(self, items: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Corpus, row and direction (exchanged or not) of each item."""
        corpus = np.searchsorted(self.offsets, items, side="right") - 1
        local = items - self.offsets[corpus]
        return corpus, local // self.directions, local % self.directions == 1

    def pairs(self, items: np.ndarray) -> np.ndarray:
        """Number of each item's pair, which is the same in both directions."""
        return items // self.directions

    def lengths(self, items: np.ndarray) -> np.ndarray:
        """Tokens of each item's sequence: both sides with their ``</s>``, and one ``<s>``."""
        return self.sides(items).sum(1) + 3

    def sides(self, items: np.ndarray) -> np.ndarray:
        """(N, 2) tokens of each item's two sides as stored, without ``</s>``."""
        corpus, rows, _ = self.locate(items)
        lengths = np.empty((len(items), 2), dtype=np.int64)
        for number, each in enumerate(self.corpora):
            here = corpus == number
            for side, reader in enumerate((each.src, each.tgt)):
                lengths[here, side] = reader.sizes[rows[here]].astype(np.int64) - 1
        return lengths

    def __getitem__(self, item: int) -> Pair:
        number = int(np.searchsorted(self.offsets, item, side="right")) - 1
        row, exchanged = divmod(int(item - self.offsets[number]), self.directions)
        corpus = self.corpora[number]
        pair = Pair(corpus.number, corpus.src[row][:-1], corpus.tgt[row][:-1], langs=corpus.langs)
        if corpus.links is not None:
            pair.src_words, pair.tgt_words, pair.links = corpus.links[row]
        return exchange(pair) if exchanged else pair


def exchange(pair: Pair) -> Pair:
    """The same pair read from the other side, links included."""
    links = None if pair.links is None else pair.links[:, [1, 0, 2]]
    return Pair(pair.corpus, pair.tgt, pair.src, pair.tgt_words, pair.src_words, links, pair.langs[::-1])


class MonoStream:
    """Blocks of ``length`` consecutive tokens (sentences end in ``</s>``) of several languages, drawn by temperature.

    Blocks are cut from the stream of tokens, so they need neither padding nor a scan of the text; the last block of a
    language is shorter. ``langs`` are the numbers of the readers' languages.
    """

    def __init__(self, readers: Sequence[MMapReader], length: int, langs: Sequence[int] | None = None):
        self.readers = list(readers)
        self.langs = list(range(len(self.readers)) if langs is None else langs)
        self.length = length
        self.body = length - 1  # a block is <s> and running text
        self.counts = [-(-reader.tokens // self.body) for reader in self.readers]
        self.offsets = np.concatenate([[0], np.cumsum(self.counts)])

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def draw(self, seed: int, start: int, count: int, temperature: float = 1.0) -> np.ndarray:
        """Blocks ``start ... start + count`` of an endless stream.

        The language of each block is drawn at random; its blocks repeat only after all of them have occurred. Blocks
        before ``start`` are drawn too, to find where each language continues.
        """
        bounds = np.cumsum(sampling.temperature_shares(self.counts, temperature))[:-1]
        chance = np.random.default_rng((seed, MONO))
        before = np.zeros(len(self.readers), dtype=np.int64)
        for done in range(0, start, CHUNK):
            earlier = np.searchsorted(bounds, chance.random(min(CHUNK, start - done)), side="right")
            before += np.bincount(earlier, minlength=len(before))
        languages = np.searchsorted(bounds, chance.random(count), side="right")
        drawn = np.empty(count, dtype=np.int64)
        for number, (offset, size) in enumerate(zip(self.offsets, self.counts, strict=False)):
            here = np.flatnonzero(languages == number)
            drawn[here] = offset + sampling.draw(size, int(before[number]), len(here), (seed, MONO, number))
        return drawn

    def language(self, item: int) -> int:
        """Number of a block's language."""
        return self.langs[self._reader(item)]

    def _reader(self, item: int) -> int:
        return int(np.searchsorted(self.offsets, item, side="right") - 1)

    def __getitem__(self, item: int) -> np.ndarray:
        number = self._reader(item)
        start = int(item - self.offsets[number]) * self.body
        reader = self.readers[number]
        return reader.span(start, min(start + self.body, reader.tokens))
