"""The most frequent linked words of a bitext, and how close their input embeddings are."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.embedding_alignment import BilingualDictionary
from xalign_fairseq.evaluation.retrieval import unit
from xalign_fairseq.links.pharaoh import Link

PairCount = tuple[tuple[str, str], int]


def frequent_pairs(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]],
    links: Iterable[Iterable[Link]],
    top: int,
    leave_out: Collection[str] = (),
) -> list[PairCount]:
    """The pairs of words that are linked most often, with their counts; of equally frequent ones the earlier first.

    Left out are pairs of identical words, which share their embedding whatever was learned, and of words without a
    letter.

    Raises:
        XalignError: no pair is left.

    Example::

        frequent_pairs([(["a", "house"], ["ein", "haus"])], [{(0, 0), (1, 1)}], 20, {"a"})  # [(("house", "haus"), 1)]
    """
    counts = Counter((src[i], tgt[j]) for (src, tgt), found in zip(pairs, links, strict=True) for i, j in sorted(found))
    left = {
        pair: count
        for pair, count in counts.items()
        if pair[0] != pair[1] and all(any(map(str.isalpha, word)) and word.lower() not in leave_out for word in pair)
    }
    if not left:
        raise XalignError(
            "no linked pair of two different words is left",
            found=f"{len(counts)} linked pairs, all of identical words, without a letter, or left out",
            remedy="give a text with links between words, and a shorter list of words to leave out",
        )
    return Counter(left).most_common(top)


def pair_cosines(words: BilingualDictionary, src: Tensor, tgt: Tensor) -> tuple[float, float | None]:
    """Mean cosine of the linked pairs, and of all other pairs of a source and a target word (None without any).

    Args:
        words: the distinct words of both sides and which are linked.
        src: (N, H), the vector of each source word.
        tgt: (M, H), of each target word.

    Example::

        words = BilingualDictionary.collect([("today", "heute"), ("council", "rat")])
        pair_cosines(words, torch.eye(2), torch.eye(2))  # (1.0, 0.0)
    """
    linked = torch.zeros(len(src), len(tgt), dtype=torch.bool)
    for row, columns in enumerate(words.to_tgt):
        linked[row, list(columns)] = True
    cosines = unit(src.double()) @ unit(tgt.double()).T
    others = cosines[~linked]
    return float(cosines[linked].mean()), float(others.mean()) if len(others) else None
