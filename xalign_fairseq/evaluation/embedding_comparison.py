"""How close the input embeddings of linked words are, by several checkpoints (WEAM's Figure 2)."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.encoder.checkpoint import load_encoder
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.evaluation.embedding_alignment import BilingualDictionary, word_vectors
from xalign_fairseq.evaluation.linked_words import pair_cosines
from xalign_fairseq.evaluation.plots.embeddings import Panel, plot_embeddings


@dataclass(frozen=True)
class ComparedEmbeddings:
    """The words of linked pairs by one checkpoint.

    Attributes:
        checkpoint: its name.
        cosine: mean over the linked pairs.
        others: mean over all other pairs of these words; None if there are none.
        src, tgt: float32 vectors (pairs, H) of the words of each pair.
    """

    checkpoint: str
    cosine: float
    others: float | None
    src: Tensor
    tgt: Tensor

    def text(self) -> str:
        """Both cosines in words."""
        others = "" if self.others is None else f", of other pairs {self.others:.3f}"
        return f"mean cosine of linked words {self.cosine:.3f}{others}"


def compare_embeddings(
    models: Mapping[str, str], pairs: Sequence[tuple[str, str]], dictionary: str | None = None, spm: str | None = None
) -> list[ComparedEmbeddings]:
    """Compare the words of linked pairs by each model; a word's vector is the mean of its subwords' embeddings.

    Args:
        models: name -> whatever can be read as an encoder.
        pairs: source and target word of each.
        dictionary, spm: of the tokenizer, if the models do not carry their own.
    """
    words = BilingualDictionary.collect(pairs)
    src_rows, tgt_rows = ([side.index(pair[k]) for pair in pairs] for k, side in enumerate((words.src, words.tgt)))
    compared = []
    for name, path in models.items():
        state, where = read_pretrained(path)
        encoder, _ = load_encoder(state, where)
        tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=where, dictionary=dictionary, spm=spm)
        embeddings = encoder.sentence_encoder.embed_tokens.weight.detach().float()
        src, tgt = (word_vectors(embeddings, tokenizer, side) for side in (words.src, words.tgt))
        compared.append(ComparedEmbeddings(name, *pair_cosines(words, src, tgt), src[src_rows], tgt[tgt_rows]))
    return compared


def draw_embeddings(
    compared: Sequence[ComparedEmbeddings], pairs: Sequence[tuple[str, str]], path: str | os.PathLike
) -> None:
    """A panel for each checkpoint, of vectors at length 1, whose distances say the same as their cosines."""
    panels = []
    for each in compared:
        src, tgt = (F.normalize(side, dim=1).numpy() for side in (each.src, each.tgt))
        panels.append(Panel(f"{'/'.join(Path(each.checkpoint).parts[-2:])}\n{each.text()}", src=src, tgt=tgt))
    plot_embeddings(list(pairs), panels, path)
