"""Sentences of words as windows of tokens, so that each word has a hidden state in sentences of any length."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from torch import Tensor

from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.transfer.family import EncodedExample, Limits


def encode_words(
    tokenizer: Tokenizer, words: Sequence[str], limits: Limits
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Windows ``<s> ... </s>`` over a sentence, and where each word's first subword is.

    A sentence that fits is one window. A longer one is cut between words into windows that share up to
    ``limits.overlap`` tokens; a word is read in the window where it has most tokens on its poorer side (the first of
    equal ones). A word without a token becomes ``<unk>``; one longer than a window is cut.

    Returns:
        windows: token ids (T,) int64 of each, T <= ``limits.tokens``.
        window, position: (W,) int64, the row and the column of each word's first subword.
    """
    dictionary = tokenizer.dictionary
    room = limits.tokens - 2
    pieces: list[list[int]] = [[] for _ in words]
    for token, word in zip(*tokenizer.encode_words(words), strict=True):
        if len(pieces[word]) < room:
            pieces[word].append(token)
    pieces = [each or [dictionary.unk_index] for each in pieces]
    ends = [0, *accumulate(map(len, pieces))]
    windows, best = [], np.full(len(words), -1, dtype=np.int64)
    window, position = np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    for row, (first, last) in enumerate(_spans(ends, room, limits.overlap)):
        tokens = [token for word in pieces[first:last] for token in word]
        windows.append(np.array([dictionary.bos_index, *tokens, dictionary.eos_index], dtype=np.int64))
        for word in range(first, last):
            context = min(ends[word] - ends[first], ends[last] - ends[word + 1])
            if context > best[word]:
                best[word], window[word], position[word] = context, row, 1 + ends[word] - ends[first]
    return windows, window, position


def _spans(ends: Sequence[int], room: int, overlap: int) -> list[tuple[int, int]]:
    """Windows as ranges of words; word ``w`` has the tokens ``ends[w]`` to ``ends[w + 1]``."""
    words = len(ends) - 1
    spans: list[tuple[int, int]] = []
    first = 0
    while True:
        last = int(np.searchsorted(ends, ends[first] + room, side="right")) - 1
        if last == words:  # the last window reaches back as far as it can: context costs nothing there
            spans.append((int(np.searchsorted(ends, ends[last] - room)), last))
            return spans
        spans.append((first, last))
        # The requested overlap, reduced if the next word would not fit.
        first = int(np.searchsorted(ends, max(ends[last] - overlap, ends[last + 1] - room)))


def collate_windows(encoded: Sequence[EncodedExample]) -> tuple[Tensor, list[int]]:
    """All windows as rows, (N, T) int64, and the first row of each example."""
    tokens = pad([window for each in encoded for window in each.windows], PAD)
    return tokens, [0, *accumulate(len(each.windows) for each in encoded)][:-1]


def collate_words(encoded: Sequence[EncodedExample]) -> dict[str, Tensor]:
    """The batch of a family of words: ``tokens`` (N, T), ``word_window`` and ``word_position`` (B, W), -1 at padding.

    Args:
        encoded: examples with the arrays ``window`` and ``position`` of :func:`encode_words`.
    """
    tokens, rows = collate_windows(encoded)
    return {
        "tokens": tokens,
        "word_window": pad([each.arrays["window"] + row for each, row in zip(encoded, rows, strict=True)], -1),
        "word_position": pad([each.arrays["position"] for each in encoded], -1),
    }


def word_states(hidden: Tensor, batch: dict[str, Tensor]) -> Tensor:
    """Hidden states of the words' first subwords, (B, W, H), from those of the windows (N, T, H); 0 at padding."""
    window, position = batch["word_window"], batch["word_position"]
    states = hidden[window.clamp(min=0), position.clamp(min=0)]
    return states.masked_fill((window < 0)[..., None], 0)
