"""From subword links to word links: if two subwords are aligned, the words that they belong to are."""

from collections.abc import Iterable, Sequence

import numpy as np
from torch import Tensor

from xalign_fairseq.errors import XalignError
from xalign_fairseq.links.pharaoh import Link

NO_WORD = -1


Words = Sequence[int] | np.ndarray


def to_word_links(links: Iterable[Sequence[int]], src_words: Words, tgt_words: Words) -> set[Link]:
    """Word links of one sentence pair (the rule of Jalili Sabet et al., 2020, and of XLM-Align's evaluation).

    Args:
        links: subword links (i, j), 0-based.
        src_words: the word index of each source subword; -1 for a subword of no word, whose links vanish.
        tgt_words: the same of the target side.

    Raises:
        XalignError: a link points beyond the subwords.

    Example::

        to_word_links([(0, 0), (1, 2)], [0, 0], [0, 1, 1])  # {(0, 0), (0, 1)}
    """
    words = set()
    for i, j in links:
        if not (0 <= i < len(src_words) and 0 <= j < len(tgt_words)):
            raise XalignError(
                "a subword link lies outside its sentences",
                found=f"link {i}-{j}, {len(src_words)} and {len(tgt_words)} subwords",
                expected="0-based indices below these lengths",
            )
        if src_words[i] != NO_WORD and tgt_words[j] != NO_WORD:
            words.add((int(src_words[i]), int(tgt_words[j])))
    return words


def word_links(links: Tensor, prob: Tensor, src_words: Tensor, tgt_words: Tensor) -> list[dict[Link, float]]:
    """Word links of each pair of a batch, with the largest probability among the subword links between the two words.

    Args:
        links: (B, n, m) bool, subword links, none at padding.
        prob: (B, n, m) float, their probabilities.
        src_words: (B, n) int, the word index of each source subword; -1 for a subword of no word.
        tgt_words: (B, m) int, the same of the target side.

    Raises:
        XalignError: the shapes do not fit.

    Example::

        links = torch.tensor([[[True, False], [True, True]]])
        prob = torch.tensor([[[0.9, 0.0], [0.3, 0.6]]])
        word_links(links, prob, torch.tensor([[0, 0]]), torch.tensor([[0, 1]]))  # [{(0, 0): 0.9, (0, 1): 0.6}]
    """
    if links.shape != prob.shape or src_words.shape != links.shape[:2] or tgt_words.shape != links.shape[::2]:
        raise XalignError(
            "subword links and word indices do not belong together",
            found=", ".join(str(tuple(x.shape)) for x in (links, prob, src_words, tgt_words)),
            expected="(B, n, m), (B, n, m), (B, n), (B, m)",
        )
    pair, i, j = links.nonzero(as_tuple=True)
    # In ascending order of probability the largest is the one that stays in the dictionary.
    order = prob[pair, i, j].argsort()
    pair, i, j = pair[order], i[order], j[order]
    columns = (pair, src_words[pair, i], tgt_words[pair, j], prob[pair, i, j])
    found: list[dict[Link, float]] = [{} for _ in range(links.shape[0])]
    for row, word_i, word_j, value in zip(*(column.tolist() for column in columns), strict=True):
        if word_i != NO_WORD and word_j != NO_WORD:
            found[row][word_i, word_j] = value
    return found
