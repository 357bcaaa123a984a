"""From hidden states of tokens to vectors of words."""

import torch
from torch import Tensor

from xalign_fairseq.data.word_tables import WordTable

POOLINGS = ("first", "mean")


def word_vectors(
    hidden: Tensor, table: WordTable, rows: Tensor, numbers: Tensor, offset: Tensor | None, pooling: str
) -> Tensor:
    """Vectors (K, H) of words, with gradient: the hidden state of the first token, or the mean over all tokens.

    Args:
        hidden: (B, L, H), of the pair sequence or of one side.
        table: the words of that side; every word that is asked for has a token.
        rows, numbers: (K,) int64, which words.
        offset: (B,) what to subtract from positions of the pair sequence to get those of ``hidden``; None for 0.
        pooling: "first" or "mean".
    """
    if pooling not in POOLINGS:
        raise ValueError(f"pooling is one of {', '.join(POOLINGS)}, not {pooling}")
    first, count = table.find(rows, numbers)
    start = first if offset is None else first - offset[rows]
    if pooling == "first":
        return hidden[rows, start]
    which = torch.arange(len(rows), device=rows.device).repeat_interleave(count)
    number = torch.arange(len(which), device=rows.device) - (count.cumsum(0) - count).repeat_interleave(count)
    tokens = hidden[rows[which], start[which] + number]
    sums = hidden.new_zeros(len(rows), hidden.shape[-1]).index_add(0, which, tokens)
    return sums / count[:, None].to(hidden.dtype)
