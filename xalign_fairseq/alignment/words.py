"""From subword links to word links: if two subwords are aligned, the words that they belong to are."""

from collections.abc import Iterable, Sequence

from torch import Tensor

from xalign_fairseq.alignment.pharaoh import Link
from xalign_fairseq.errors import XalignError

NO_WORD = -1


def to_word_links(links: Iterable[Link], src_words: Sequence[int], tgt_words: Sequence[int]) -> set[Link]:
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


def word_probabilities(links: Tensor, prob: Tensor, src_words: Tensor, tgt_words: Tensor) -> tuple[Tensor, Tensor]:
    """Word links of a batch and their probabilities, each the largest among the subword links between the two words.

    Args:
        links: (B, n, m) bool, subword links.
        prob: (B, n, m) float, their probabilities.
        src_words: (B, n) int64, the word index of each source subword, -1 for padding and subwords of no word.
        tgt_words: (B, m) int64, the same of the target side.

    Returns:
        word links (B, N, M) bool and probabilities (B, N, M), 0 where no link is; N and M are the most words of a side.

    Example::

        links = torch.tensor([[[True, False], [False, True]]])
        prob = torch.tensor([[[0.9, 0.0], [0.0, 0.6]]])
        word_probabilities(links, prob, torch.tensor([[0, 0]]), torch.tensor([[0, 1]]))[1]  # tensor([[[0.9, 0.6]]])
    """
    batch, n, m = links.shape
    if links.numel() == 0:
        return links.new_zeros(batch, 0, 0), prob.new_zeros(batch, 0, 0)
    rows, columns = int(src_words.max()) + 1, int(tgt_words.max()) + 1
    cells = src_words[:, :, None] * columns + tgt_words[:, None, :]
    counted = links & (src_words != NO_WORD)[:, :, None] & (tgt_words != NO_WORD)[:, None, :]
    # Everything else goes to an extra last cell, which is cut off; -1 marks word pairs without a link.
    cells = cells.masked_fill(~counted, rows * columns).view(batch, n * m)
    best = prob.new_full((batch, rows * columns + 1), -1.0)
    best.scatter_reduce_(1, cells, prob.reshape(batch, n * m), "amax")
    best = best[:, :-1].view(batch, rows, columns)
    return best >= 0, best.clamp_min(0.0)
