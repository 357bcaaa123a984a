"""The positions of a batch's words among its tokens, and links of tokens from links of words."""

import torch
from torch import Tensor

from xalign_fairseq.transport.names import WORD_POOLINGS
from xalign_fairseq.transport.similarity import side_positions

SUBWORD_RULES = ("first", "all", "k-to-k")


class WordTable:
    """The places of one side's words in each pair: ``first`` and ``count``, both (B, W) int64.

    ``first`` is the position of a word's first token in the pair sequence, -1 for a word without tokens (removed by the
    tokenizer, or beyond the sentence); ``count`` is the number of its tokens, which are consecutive. ``numbers`` (B, T)
    is the word of each token, ``width`` = W if it is not a word of this side.

    Args:
        words: (B, T) int64, index of each token's word in its own sentence, -1 at special tokens and padding.
        spans: (B, 4), [src start, src end, tgt start, tgt end).
        side: 0 source, 1 target.
        width: W, more than the highest number of a word.
    """

    def __init__(self, words: Tensor, spans: Tensor, side: int, width: int):
        at = torch.arange(words.shape[1], device=words.device)
        here = (at >= spans[:, 2 * side, None]) & (at < spans[:, 2 * side + 1, None]) & (words >= 0)
        # Tokens of the other side and special tokens count in a last column, which is dropped.
        number = torch.where(here, words, width)
        self.spans, self.side, self.width, self.numbers = spans, side, width, number
        base = torch.zeros(len(words), width + 1, dtype=torch.int64, device=words.device)
        self.count = base.scatter_add(1, number, torch.ones_like(number))[:, :width]
        beyond = torch.full_like(base, words.shape[1])
        first = beyond.scatter_reduce(1, number, at.expand_as(number), "amin")[:, :width]
        self.first = first.masked_fill(self.count == 0, -1)

    def find(self, rows: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """First position and number of tokens (K,) of the words ``numbers`` of ``rows``; -1 and 0 without tokens."""
        if not self.first.shape[1]:
            return torch.full_like(numbers, -1), torch.zeros_like(numbers)
        inside = numbers < self.first.shape[1]
        column = torch.where(inside, numbers, 0)
        first = self.first[rows, column].masked_fill(~inside, -1)
        return first, self.count[rows, column].masked_fill(~inside, 0)

    def tokens(self, size: int) -> tuple[Tensor, Tensor]:
        """Word and place in it of the first ``size`` tokens of each side, (B, size) int64; W for no word."""
        positions, _ = side_positions(self.spans, self.side, size)
        words = self.numbers.gather(1, positions)  # outside the side, the word of <s>: none
        first = torch.nn.functional.pad(self.first, (0, 1))
        return words, positions - first.gather(1, words)


def link_matrix(links: Tensor, src: WordTable, tgt: WordTable, rule: str, sizes: tuple[int, int]) -> Tensor:
    """Links between tokens, from links between words: (B, n, m) bool, the tokens counted from the first of their side.

    Links of words without tokens are left out.

    Args:
        links: (K, 3) int64, [row, src word, tgt word].
        src, tgt: the words of both sides.
        rule: "first": first token to first token; "all": each token of one word to each of the other; "k-to-k": k-th
            token to k-th token, the rest of the longer word has no partner.
        sizes: (n, m), the longest sides.
    """
    if rule not in SUBWORD_RULES:
        raise ValueError(f"rule is one of {', '.join(SUBWORD_RULES)}, not {rule}")
    (a, at_a), (b, at_b) = (side.tokens(size) for side, size in zip((src, tgt), sizes, strict=True))
    # By words first, with a last row and column for other tokens.
    rows, width, height = links[:, 0], src.width + 1, tgt.width + 1
    i, j = links[:, 1].clamp(max=src.width), links[:, 2].clamp(max=tgt.width)
    words = torch.zeros(len(a) * width * height, dtype=torch.bool, device=links.device)
    words.index_fill_(0, (rows * width + i) * height + j, True)
    of_src = words.view(-1, width, height).gather(1, a[:, :, None].expand(-1, -1, height))
    matrix = of_src.gather(2, b[:, None, :].expand(-1, a.shape[1], -1))
    matrix = matrix & (a < src.width)[:, :, None] & (b < tgt.width)[:, None, :]
    if rule == "first":
        return matrix & (at_a == 0)[:, :, None] & (at_b == 0)[:, None, :]
    return matrix if rule == "all" else matrix & (at_a[:, :, None] == at_b[:, None, :])


def word_vectors(
    hidden: Tensor, table: WordTable, rows: Tensor, numbers: Tensor, offset: Tensor, pooling: str
) -> Tensor:
    """Vectors (K, H), with gradient, of the words ``numbers`` (K,) in ``rows`` (K,), each with a token.

    They are the hidden state (B, L, H) of the "first" token, or the "mean" over all; ``offset`` (B,) is the position in
    the pair sequence minus that in ``hidden``.
    """
    if pooling not in WORD_POOLINGS:
        raise ValueError(f"pooling is one of {', '.join(WORD_POOLINGS)}, not {pooling}")
    first, count = table.find(rows, numbers)
    start = first - offset[rows]
    if pooling == "first":
        return hidden[rows, start]
    # Sum all words: the number of tokens of the requested words would need a synchronisation.
    batch, length, width = hidden.shape
    at = torch.arange(length, device=rows.device)
    places = at + offset[:, None]
    columns = table.width + 1
    word = table.numbers.gather(1, places.clamp(max=table.numbers.shape[1] - 1))
    word = word + columns * torch.arange(batch, device=rows.device)[:, None]
    sums = hidden.new_zeros(batch * columns, width).index_add(0, word.flatten(), hidden.flatten(0, 1))
    return sums[rows * columns + numbers] / count[:, None].to(hidden.dtype)
