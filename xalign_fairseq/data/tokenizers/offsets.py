"""The position of each token in its text, before normalisation."""

import re

import numpy as np
import sentencepiece

SPACE = "▁"


def pieces_with_offsets(
    processor: sentencepiece.SentencePieceProcessor, text: str
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The pieces of a text as fairseq reads them, and the ``begin`` and ``end`` (N,) of each in the original text.

    The ``▁`` of a piece has no character: the piece begins at its first letter. A piece of ``▁`` alone has an empty
    range. Pieces that share one original character ("½" becomes "1", "⁄", "2") all have the whole character; characters
    that normalisation removes belong to the piece before them.
    """
    normalised, origin = processor.normalize(text, with_offsets=True)
    # Pieces are counted in bytes, because a model with byte fallback has pieces of one byte.
    char_of_byte = [i for i, char in enumerate(normalised) for _ in char.encode()]
    pieces: list[str] = []
    ranges: list[tuple[int, int]] = []
    at = 0
    encoded = zip(processor.encode(text, out_type=int), processor.encode(text, out_type=str), strict=True)
    for index, whole in encoded:
        is_byte = processor.is_byte(index)
        for part in re.finditer(r"\S+", whole):
            first, size = (0, 1) if is_byte else (len(whole[: part.start()].encode()), len(part[0].encode()))
            pieces.append(part[0])
            ranges.append((char_of_byte[at + first], char_of_byte[at + first + size - 1] + 1))
        at += 1 if is_byte else len(whole.encode())
    begin, end = np.array(ranges, dtype=np.int64).reshape(-1, 2).T
    return pieces, *_in_the_original(normalised, np.array(origin, dtype=np.int64), begin, end)


def _in_the_original(
    normalised: str, origin: np.ndarray, begin: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Map ranges of normalised characters to the original text; ``origin`` (C + 1,) is the origin of each character."""
    starts = origin[:-1]
    # The original ends of characters: where the next original character begins.
    ends = origin[np.minimum(np.searchsorted(origin, starts, side="right"), len(starts))]
    letters = np.array([char != SPACE for char in normalised], dtype=bool)
    after = np.append(np.flatnonzero(letters), len(letters))
    first = after[np.searchsorted(after, begin)]  # the first letter at or after the piece's begin
    before = np.append(-1, np.flatnonzero(letters))
    last = before[np.searchsorted(before, end) - 1]  # the last letter before the piece's end
    blank = last < first
    original_begin = origin[first]
    original_end = np.where(blank, original_begin, ends[np.where(blank, 0, last)]) if len(ends) else original_begin
    return original_begin, original_end
