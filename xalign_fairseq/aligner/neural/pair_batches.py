"""Sentence pairs as token ids, in batches of similar lengths."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens, count_unknown


@dataclass(frozen=True, eq=False)
class EncodedPair:
    """One pair as ids, with the word of each token, and its number among those encoded with it."""

    index: int
    src: np.ndarray
    tgt: np.ndarray
    src_words: np.ndarray
    tgt_words: np.ndarray

    @property
    def sizes(self) -> tuple[int, int]:
        """Tokens of either side."""
        return len(self.src), len(self.tgt)

    @property
    def similarities(self) -> int:
        """How many pairs of tokens there are."""
        return len(self.src) * len(self.tgt)


def encode_pairs(
    tokenizer: Tokenizer, pairs: Sequence[tuple[Sequence[str], Sequence[str]]], unknown: UnknownTokens
) -> list[EncodedPair]:
    """Pairs of words as ids, in their order; ``unknown`` counts those that the vocabulary lacks too."""
    sides = []
    for side in zip(*pairs, strict=True):
        (ids, sizes), (words, _) = tokenizer.encode_words_batch(side)
        unknown.add(count_unknown(tokenizer, (ids, sizes), [" ".join(sentence) for sentence in side]))
        edges = np.cumsum(sizes)[:-1]
        sides += [np.split(ids, edges), np.split(words, edges)]
    src, src_words, tgt, tgt_words = sides
    rows = zip(src, tgt, src_words, tgt_words, strict=True)
    return [EncodedPair(index, *row) for index, row in enumerate(rows)]


def length_batches(pairs: Iterable[EncodedPair], encoding: str, batch_tokens: int) -> Iterator[list[EncodedPair]]:
    """Batches of similar lengths, longest first, so that missing memory shows immediately; padding counts."""
    joint = encoding == "joint"
    batch: list[EncodedPair] = []
    widest = (0, 0)
    for pair in sorted(pairs, key=_total if joint else _longer_side, reverse=True):
        # The lengths that determine padding: of the joint pair, or of each side.
        lengths = (_total(pair) + 3, 0) if joint else (len(pair.src) + 2, len(pair.tgt) + 2)
        wider = max(widest[0], lengths[0]), max(widest[1], lengths[1])
        if batch and (len(batch) + 1) * sum(wider) > batch_tokens:
            yield batch
            batch, wider = [], lengths
        batch.append(pair)
        widest = wider
    if batch:
        yield batch


def _total(pair: EncodedPair) -> int:
    return sum(pair.sizes)


def _longer_side(pair: EncodedPair) -> tuple[int, int]:
    return max(pair.sizes), min(pair.sizes)
