"""Items in their order, cut into batches by the size that they take when they are padded."""

import numpy as np


def batch_ends(
    lengths: np.ndarray, max_tokens: int | None = None, max_sentences: int | None = None, multiple: int = 1
) -> np.ndarray:
    """Where each batch ends: as many items as fit, as fairseq's ``batch_by_size`` cuts them.

    A batch of n items takes n times its longest. Where ``multiple`` or more fit, their number is a multiple of it; the
    last items are a batch of their own rather than dropped.

    Args:
        lengths: (N,) tokens of the items, none above ``max_tokens``.
        max_tokens: of a batch, padding included; None for any number.
        max_sentences: items of a batch; None for any number.
        multiple: of items.

    Returns:
        (batches,) int64, ascending; the last is N.
    """
    ends, start = [], 0
    while start < len(lengths):
        most = len(lengths) - start
        if max_sentences:
            most = min(most, max_sentences)
        if max_tokens:
            most = min(most, max(max_tokens // max(int(lengths[start]), 1), 1))
            longest = np.maximum.accumulate(lengths[start : start + most])
            fits = int((longest * np.arange(1, most + 1) <= max_tokens).sum())
            most = max(fits, 1)
        start += most - most % multiple if most >= multiple else most
        ends.append(start)
    return np.array(ends, dtype=np.int64)
