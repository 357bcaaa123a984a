"""From subword links to word links: if two subwords are aligned, the words that they belong to are.

The rule of Jalili Sabet et al. (2020), and of XLM-Align's evaluation.
"""

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links.pharaoh import Link
from xalign_fairseq.transport.token_links import TokenLinks

NO_WORD = -1


def word_links(links: TokenLinks, src_words: Tensor, tgt_words: Tensor) -> list[dict[Link, float]]:
    """Word links of each pair of a batch, with the largest probability among the subword links between the two words.

    Args:
        links: of subwords.
        src_words: (B, n) int, the word index of each source subword; -1 for a subword of no word.
        tgt_words: (B, m) int, the same of the target side.

    Raises:
        XalignError: a link points beyond the subwords.

    Example::

        links = links_of_matrix(torch.tensor([[[True, False], [True, True]]]), torch.rand(1, 2, 2))
        word_links(links, torch.tensor([[0, 0]]), torch.tensor([[0, 1]]))  # [{(0, 0): 0.9, (0, 1): 0.6}]
    """
    for which, words in ((links.src, src_words), (links.tgt, tgt_words)):
        if len(which) and (int(which.max()) >= words.shape[1] or int(links.pair.max()) >= len(words)):
            raise XalignError(
                "subword links and word indices do not belong together",
                found=f"a link of pair {int(links.pair.max())}, token {int(which.max())}",
                expected=f"words of {len(words)} pairs with up to {words.shape[1]} tokens on that side",
            )
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
    """The largest score of the subwords of each two words, (B, words, words); 0 of words without any.

    Args:
        scores: (B, n, m), not negative.
        src_words: (B, n) int, the word index of each source subword; -1 for a subword of no word.
        tgt_words: (B, m) int, the same of the target side.

    Example::

        word_scores(torch.tensor([[[0.1, 0.7]]]), torch.tensor([[0]]), torch.tensor([[0, 0]]))  # [[[0.7]]]
    """
    return _largest(_largest(scores, src_words).mT, tgt_words).mT


def _largest(scores: Tensor, words: Tensor) -> Tensor:
    """(B, words, m) from (B, n, m)."""
    most = int(words.max()) + 1 if words.numel() else 0
    found = torch.zeros(len(scores), most + 1, scores.shape[2], dtype=scores.dtype, device=scores.device)
    # What is of no word goes to a last row.
    at = torch.where(words == NO_WORD, most, words).long()[:, :, None].expand_as(scores)
    return found.scatter_reduce(1, at, scores, "amax")[:, :most]
