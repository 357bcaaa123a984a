"""Where the words of a batch lie among its tokens, and from links between words to links between tokens."""

import torch
from torch import Tensor

SUBWORD_RULES = ("first", "all", "k-to-k")


class WordTable:
    """Where the words of one side of each pair lie: ``first`` and ``count``, both (B, W) int64.

    ``first`` is the position of a word's first token in the pair sequence, -1 for a word that has no token (the
    tokenizer turned it into nothing, or the number is beyond the sentence); ``count`` is the number of its tokens,
    which follow one another.

    Args:
        words: (B, T) int64, index of each token's word in its own sentence, -1 at special tokens and padding.
        spans: (B, 4), [src start, src end, tgt start, tgt end).
        side: 0 source, 1 target.
        width: W, more than the highest number of a word; without it that is read back from the device.

    Example::

        table = WordTable(bitext.words, bitext.spans, 0)
        table.first[row, word], table.count[row, word]
    """

    def __init__(self, words: Tensor, spans: Tensor, side: int, width: int | None = None):
        at = torch.arange(words.shape[1], device=words.device)
        here = (at >= spans[:, 2 * side, None]) & (at < spans[:, 2 * side + 1, None]) & (words >= 0)
        if width is None:
            width = int(words.max()) + 1 if words.numel() else 0
        # Tokens of the other side and special tokens are counted in a last column, which is cut off.
        number = torch.where(here, words, width)
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


def expand(links: Tensor, src: WordTable, tgt: WordTable, rule: str) -> Tensor:
    """Links between tokens (K', 3) int64, [row, src position, tgt position], from links between words.

    Links of words without tokens are left out.

    Args:
        links: (K, 3) int64, [row, src word, tgt word].
        src, tgt: the words of both sides.
        rule: "first": first token to first token; "all": each token of one word to each of the other; "k-to-k": k-th
            token to k-th token, the rest of the longer word has no partner.

    Example::

        expand(bitext.links, WordTable(words, spans, 0), WordTable(words, spans, 1), "k-to-k")
    """
    if rule not in SUBWORD_RULES:
        raise ValueError(f"rule is one of {', '.join(SUBWORD_RULES)}, not {rule}")
    rows = links[:, 0]
    (a, na), (b, nb) = src.find(rows, links[:, 1]), tgt.find(rows, links[:, 2])
    there = (a >= 0) & (b >= 0)
    rows, a, na, b, nb = (each[there] for each in (rows, a, na, b, nb))
    if rule == "first":
        return torch.stack([rows, a, b], 1)
    sizes = na * nb if rule == "all" else torch.minimum(na, nb)
    # The number of each new link among those of its word link.
    number = torch.arange(int(sizes.sum()), device=links.device) - (sizes.cumsum(0) - sizes).repeat_interleave(sizes)
    rows, a, b, nb = (each.repeat_interleave(sizes) for each in (rows, a, b, nb))
    if rule == "all":
        return torch.stack([rows, a + number // nb, b + number % nb], 1)
    return torch.stack([rows, a + number, b + number], 1)
