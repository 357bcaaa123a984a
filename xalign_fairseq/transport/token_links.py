"""Links between the tokens of sentence pairs, one entry per link: the result of every labelling method."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.pharaoh import Link
from xalign_fairseq.transport.similarity import side_positions


class TokenLinks(NamedTuple):
    """The K links of a batch of pairs, in the order of pairs, source and target tokens.

    Their number is read back to the host; to avoid this synchronisation, use a method's labels or matrix.

    Attributes:
        pair: (K,) int64, the pair's row in the batch.
        src, tgt: (K,) int64, tokens counted from the first of their side.
        probability: (K,) float.
    """

    pair: Tensor
    src: Tensor
    tgt: Tensor
    probability: Tensor


def links_of_matrix(links: Tensor, probability: Tensor) -> TokenLinks:
    """The entries of links (B, n, m) bool, with their probabilities from (B, n, m)."""
    pair, src, tgt = links.nonzero(as_tuple=True)
    return TokenLinks(pair, src, tgt, probability[pair, src, tgt])


def links_of_partners(
    partners: Tensor, probability: Tensor, spans: Tensor, sizes: tuple[int, int], *, one_sided: bool = False
) -> TokenLinks:
    """The links of partners, round by round as the fused operator finds them.

    Args:
        partners: (R, B, T), absolute positions, -1 without a partner.
        probability: (R, B, T), the probability of the link at each token.
        spans: (B, 4).
        sizes: n and m, the longest sides.
        one_sided: a link may be at only one of its two tokens, as with ``union``.
    """
    pair, src, tgt, shares = _of_side(partners, probability, spans, 0, sizes[0])
    if one_sided:
        back, there, here, back_shares = _of_side(partners, probability, spans, 1, sizes[1])
        # A link at both tokens is taken from its source token.
        once = partners[0, back, spans[back, 0] + here] != spans[back, 2] + there
        pair, src, tgt, shares = (
            torch.cat([one, other[once]])
            for one, other in ((pair, back), (src, here), (tgt, there), (shares, back_shares))
        )
    order = ((pair * sizes[0] + src) * sizes[1] + tgt).argsort()
    return TokenLinks(pair[order], src[order], tgt[order], shares[order])


def _of_side(
    partners: Tensor, probability: Tensor, spans: Tensor, side: int, size: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The links at one side's tokens: pair, token, partner, probability."""
    at, mask = side_positions(spans, side, size)
    at = at.expand(len(partners), -1, -1)
    found = partners.gather(2, at)
    turn, pair, own = (mask & (found >= 0)).nonzero(as_tuple=True)
    partner = found[turn, pair, own].long() - spans[pair, 2 * (1 - side)]
    return pair, own, partner, probability[turn, pair, at[turn, pair, own]]


NO_PARTNER = -1
LONGEST_INT16 = torch.iinfo(torch.int16).max


def last_partners(partners: Tensor, *, one_sided: bool = False) -> Tensor:
    """The partner with the highest position of each token: labels (B, T), from partners (R, B, T); -1 without one.

    ``one_sided``: a link may be at only one of its two tokens, as with ``union``.
    """
    labels = partners[0] if len(partners) == 1 else partners.amax(0)
    if not one_sided:
        return labels
    length = labels.shape[1]
    at = torch.arange(length, device=labels.device, dtype=labels.dtype)
    for found in partners:
        # Tokens without a partner write to an extra last column, which is dropped.
        whose = found.long().masked_fill(found < 0, length)
        room = torch.cat([labels, labels[:, :1]], 1)
        labels = room.scatter_reduce(1, whose, at.expand_as(found), "amax")[:, :length]
    return labels


def partners_of_matrix(links: Tensor, spans: Tensor, length: int) -> Tensor:
    """Like :func:`last_partners`, (B, length), from links (B, n, m) bool."""
    dtype = label_dtype(length)
    batch, n, m = links.shape
    # Positions of padding go to an extra last column, which is dropped.
    labels = torch.full((batch, length + 1), NO_PARTNER, dtype=dtype, device=links.device)
    for side, size, other_size, sided in ((0, n, m, links), (1, m, n, links.transpose(1, 2))):
        if size == 0 or other_size == 0:
            continue
        other, _ = side_positions(spans, 1 - side, other_size)
        last = (sided * (other + 1)[:, None, :].to(dtype)).amax(2) - 1
        positions, mask = side_positions(spans, side, size)
        labels.scatter_(1, positions.masked_fill(~mask, length), last)
    return labels[:, :length].contiguous()


def matrix_of_partners(partners: Tensor, spans: Tensor, sizes: tuple[int, int], *, one_sided: bool = False) -> Tensor:
    """Links (B, n, m) bool from partners (R, B, T) as :func:`last_partners` takes them; ``sizes``: (n, m)."""
    matrix = _linked_side(partners, spans, sizes, 0)
    return matrix | _linked_side(partners, spans, sizes[::-1], 1).transpose(1, 2) if one_sided else matrix


def _linked_side(partners: Tensor, spans: Tensor, sizes: Sequence[int], side: int) -> Tensor:
    """Links (B, own, other) at the tokens of one side; ``own`` and ``other`` are both sides' longest sizes."""
    own, other = sizes
    at, mask = side_positions(spans, side, own)
    # Tokens without a partner write to an extra last column, which is dropped.
    matrix = torch.zeros(len(spans), own, other + 1, dtype=torch.bool, device=spans.device)
    for found in partners:
        partner = found.gather(1, at).long()
        column = torch.where(mask & (partner >= 0), partner - spans[:, 2 * (1 - side), None], other)
        matrix.scatter_(2, column[:, :, None], True)
    return matrix[:, :, :other]


def label_dtype(length: int) -> torch.dtype:
    """The dtype of positions in sequences of a length: int16, or int32 if that is too small."""
    return torch.int16 if length <= LONGEST_INT16 else torch.int32


NO_WORD = -1


def word_links(links: TokenLinks, src_words: Tensor, tgt_words: Tensor) -> list[dict[Link, float]]:
    """Word links of each pair, with the largest probability of the subword links between the two words.

    Args:
        links: of subwords.
        src_words: (B, n) int, the word index of each source subword; -1 for a subword of no word.
        tgt_words: (B, m) int, the same of the target side.

    Raises:
        XalignError: a link points beyond the subwords.
    """
    for which, words in ((links.src, src_words), (links.tgt, tgt_words)):
        if len(which) and (int(which.max()) >= words.shape[1] or int(links.pair.max()) >= len(words)):
            beyond = f"pair {int(links.pair.max())}, token {int(which.max())} of words {tuple(words.shape)}"
            raise XalignError("subword links and word indices do not match", found=beyond)
    # In ascending order of probability, the largest value is written last and remains.
    order = links.probability.argsort()
    pair, i, j, probability = (column[order] for column in links)
    columns = (pair, src_words[pair, i], tgt_words[pair, j], probability)
    found: list[dict[Link, float]] = [{} for _ in range(len(src_words))]
    for row, word_i, word_j, value in zip(*(column.tolist() for column in columns), strict=True):
        if word_i != NO_WORD and word_j != NO_WORD:
            found[row][word_i, word_j] = value
    return found


def word_scores(scores: Tensor, src_words: Tensor, tgt_words: Tensor) -> Tensor:
    """The largest score (B, n, m), not negative, of each word pair's subwords, (B, words, words); 0 without subwords.

    ``src_words`` (B, n) and ``tgt_words`` (B, m) are as in :func:`word_links`.
    """
    return _largest(_largest(scores, src_words).mT, tgt_words).mT


def _largest(scores: Tensor, words: Tensor) -> Tensor:
    """(B, words, m) from (B, n, m)."""
    most = int(words.max()) + 1 if words.numel() else 0
    found = torch.zeros(len(scores), most + 1, scores.shape[2], dtype=scores.dtype, device=scores.device)
    # Subwords outside words go to a last row.
    at = torch.where(words == NO_WORD, most, words).long()[:, :, None].expand_as(scores)
    return found.scatter_reduce(1, at, scores, "amax")[:, :most]
