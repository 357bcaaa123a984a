"""Similarity of the input embeddings of linked words in several checkpoints (WEAM's Figure 2)."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.reading import open_model
from xalign_fairseq.evaluation.embedding_alignment import BilingualDictionary, word_vectors
from xalign_fairseq.evaluation.plots.embeddings import Panel, plot_embeddings
from xalign_fairseq.evaluation.retrieval import unit
from xalign_fairseq.links.pharaoh import Link

PairCount = tuple[tuple[str, str], int]
PAIRS = 20  # that are compared


def frequent_pairs(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]],
    links: Iterable[Iterable[Link]],
    leave_out: Collection[str] = (),
) -> list[PairCount]:
    """The 20 most frequent linked word pairs, with counts; equally frequent pairs in order of occurrence.

    Skips pairs of identical words, which always share their embedding, and words without letters.

    Raises:
        XalignError: no pair is left.
    """
    counts = Counter((src[i], tgt[j]) for (src, tgt), found in zip(pairs, links, strict=True) for i, j in sorted(found))
    left = {
        pair: count
        for pair, count in counts.items()
        if pair[0] != pair[1] and all(any(map(str.isalpha, word)) and word.lower() not in leave_out for word in pair)
    }
    if not left:
        raise XalignError(
            "no linked pair of different words is left",
            found=f"{counted(len(counts), 'linked pair')}, all of identical words, without a letter, or left out",
            remedy="use a text with more links, or leave out fewer words",
        )
    return Counter(left).most_common(PAIRS)


def pair_cosines(words: BilingualDictionary, src: Tensor, tgt: Tensor) -> tuple[float, float | None]:
    """Mean cosine of the linked pairs, and of all other pairs of a source and a target word (None without any).

    ``src`` (N, H) and ``tgt`` (M, H) are the vectors of the distinct words.
    """
    linked = torch.zeros(len(src), len(tgt), dtype=torch.bool)
    for row, columns in enumerate(words.to_tgt):
        linked[row, list(columns)] = True
    cosines = unit(src.double()) @ unit(tgt.double()).T
    others = cosines[~linked]
    return float(cosines[linked].mean()), float(others.mean()) if len(others) else None


@dataclass(frozen=True)
class ComparedEmbeddings:
    """The words of linked pairs in a checkpoint: mean cosines of these and other pairs, float32 vectors (pairs, H)."""

    checkpoint: str
    cosine: float
    others: float | None
    src: Tensor
    tgt: Tensor

    def text(self) -> str:
        """Both cosines as text."""
        others = "" if self.others is None else f", of other pairs {self.others:.3f}"
        return f"mean cosine of linked words {self.cosine:.3f}{others}"


def compare_embeddings(models: Mapping[str, str], pairs: Sequence[tuple[str, str]]) -> list[ComparedEmbeddings]:
    """Compare linked words by each model's embeddings; a word's vector is the mean of its subwords' embeddings."""
    words = BilingualDictionary.collect(pairs)
    src_rows, tgt_rows = ([side.index(pair[k]) for pair in pairs] for k, side in enumerate((words.src, words.tgt)))
    compared = []
    for name, path in models.items():
        model = open_model(path)
        embeddings = model.encoder.sentence_encoder.embed_tokens.weight.detach().float()
        src, tgt = (word_vectors(embeddings, model.tokenizer, side) for side in (words.src, words.tgt))
        compared.append(ComparedEmbeddings(name, *pair_cosines(words, src, tgt), src[src_rows], tgt[tgt_rows]))
    return compared


def draw_embeddings(
    compared: Sequence[ComparedEmbeddings], pairs: Sequence[tuple[str, str]], path: str | os.PathLike, by: str
) -> None:
    """A panel for each checkpoint by PCA or t-SNE, with vectors of length 1, whose distances correspond to cosines."""
    panels = []
    for each in compared:
        src, tgt = (F.normalize(side, dim=1).numpy() for side in (each.src, each.tgt))
        panels.append(Panel(f"{'/'.join(Path(each.checkpoint).parts[-2:])}\n{each.text()}", src=src, tgt=tgt, by=by))
    plot_embeddings(list(pairs), panels, path)
