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
    # All words are added up: to know how many tokens the requested words have, the host would have to wait for the
    # device.
    batch, length, width = hidden.shape
    at = torch.arange(length, device=rows.device)
    places = at.expand(batch, -1) if offset is None else at + offset[:, None]
    columns = table.width + 1
    word = table.numbers.gather(1, places.clamp(max=table.numbers.shape[1] - 1))
    word = word + columns * torch.arange(batch, device=rows.device)[:, None]
    sums = hidden.new_zeros(batch * columns, width).index_add(0, word.flatten(), hidden.flatten(0, 1))
    return sums[rows * columns + numbers] / count[:, None].to(hidden.dtype)
