"""Alignment score: the share of words whose nearest neighbour by input embedding is a translation."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.evaluation.metric import Metric, ratio
from xalign_fairseq.evaluation.retrieval import by_cosine


def _count(gold: Collection[int], prediction: int, language: str) -> tuple[float, float]:
    return float(prediction in gold), 1.0


# Gold is the set of a word's translations, as rows of the candidates; a prediction is the nearest row.
ALIGNMENT_SCORE = Metric(
    "alignment-score",
    ("aligned", "words"),
    _count,
    ratio,
    "share of words whose nearest by cosine of input embeddings is a translation",
)


@dataclass(frozen=True)
class BilingualDictionary:
    """The distinct words of a bilingual dictionary: ``to_tgt[i]`` are the rows of ``tgt`` that translate ``src[i]``."""

    src: list[str]
    tgt: list[str]
    to_tgt: list[set[int]]

    @classmethod
    def collect(cls, pairs: Iterable[tuple[str, str]]) -> "BilingualDictionary":
        """Words in the order in which they first occur.

        Raises:
            XalignError: no pair.
        """
        rows: dict[str, int] = {}
        translations: dict[str, set[int]] = {}
        for src, tgt in pairs:
            translations.setdefault(src, set()).add(rows.setdefault(tgt, len(rows)))
        if not rows:
            raise XalignError("the dictionary has no word pair to score")
        return cls(list(translations), list(rows), list(translations.values()))


def alignment_counts(queries: Tensor, candidates: Tensor, golds: Sequence[Collection[int]]) -> np.ndarray:
    r"""Whether the nearest candidate of each word is one of its translations (ALIGN-MLM, Tang et al. 2022).

    .. math:: \arg\max_{y \in candidates} \cos(x, y) \in gold(x)

    Queries are (N, H), all competing words of the other language (M, H), golds the correct rows of each query; of equal
    candidates the first counts. Returns counts (N, 2) float64 of :data:`ALIGNMENT_SCORE`.

    Raises:
        XalignError: not one gold set per query, or a row outside the candidates.
    """
    beyond = [row for gold in golds for row in gold if not 0 <= row < len(candidates)]
    if len(golds) != len(queries) or beyond:
        found = f"{len(golds)} sets for {counted(len(queries), 'word')}, {len(candidates)} candidates"
        raise XalignError("words and translation sets differ in number, or a candidate is missing", found=found)
    return ALIGNMENT_SCORE.counts(golds, by_cosine(queries, candidates).tolist(), "")


def word_vectors(embeddings: Tensor, tokenizer: Tokenizer, words: Sequence[str]) -> Tensor:
    """The mean of the input embeddings (V, H) of each word's subwords: (N, H) in their dtype.

    Each word is encoded alone, as at the beginning of a sentence; one without subwords has a zero vector.
    """
    return mean_embeddings(embeddings, *tokenizer.encode_batch(words))


def mean_embeddings(embeddings: Tensor, ids: np.ndarray, sizes: np.ndarray) -> Tensor:
    """The mean embedding of each sequence, (N, H), from concatenated ids and N lengths; zeros for empty sequences."""
    starts = torch.from_numpy(np.cumsum([0, *sizes[:-1]]))
    flat = torch.from_numpy(np.asarray(ids, dtype=np.int64))
    return F.embedding_bag(flat.to(embeddings.device), embeddings, starts.to(embeddings.device), mode="mean")
