"""The entries of bilingual lexicons as tensors, for objectives on dictionaries."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.lexicon import TRAINED, Lexicon
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.data.tokenizers.dictionary import SPECIALS
from xalign_fairseq.transport.precision import at_least_float32


class Entries(nn.Module):
    """The trained entries of all lexicons: ``src`` (N, Ls) and ``tgt`` (N, Lt) int64 subword ids, padded.

    Buffers that no checkpoint stores: the task keeps the lexicons themselves.
    """

    src: Tensor
    tgt: Tensor

    def __init__(self, lexicons: Sequence[Lexicon]):
        super().__init__()
        sides = zip(*(lexicon.entries(TRAINED).padded() for lexicon in lexicons), strict=True)
        for name, tables in zip(("src", "tgt"), sides, strict=True):
            width = max(table.shape[1] for table in tables)
            joined = torch.cat([F.pad(table, (0, width - table.shape[1]), value=PAD) for table in tables])
            self.register_buffer(name, joined, persistent=False)

    def __len__(self) -> int:
        return len(self.src)

    def vectors(self, embeddings: Tensor, rows: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The mean of each entry's subword embeddings, (N, H) per side, at least float32; or only of some rows."""
        src, tgt = (self._mean(side if rows is None else side[rows], embeddings) for side in (self.src, self.tgt))
        return src, tgt

    def _mean(self, side: Tensor, embeddings: Tensor) -> Tensor:
        real = side.ne(PAD)[..., None]
        return (at_least_float32(F.embedding(side, embeddings)) * real).sum(1) / real.sum(1)


class Translation(NamedTuple):
    """The translation of each token, tensors of the tokens' shape."""

    tokens: Tensor  # ids; a token without a translation keeps its own
    languages: Tensor  # rows of the language embeddings; arbitrary without a translation
    there: Tensor  # bool: whether a token has a translation


class TranslationTable(nn.Module):
    """Translations of single tokens in both directions, from trained entries with one subword on each side.

    Token t has ``count[t]`` translations, which are in ``flat`` from ``start[t]`` on, with their ``languages``: rows
    of language embeddings, 0 without any. A token of both languages may translate to itself. ``source`` are the
    :func:`source_tokens`. Checkpoints do not store these buffers, because the task stores the lexicons.
    """

    start: Tensor
    count: Tensor
    flat: Tensor
    languages: Tensor
    source: Tensor

    def __init__(
        self,
        lexicons: Sequence[Lexicon],
        vocab_size: int,
        mask: int,
        language_row: Callable[[str], int] | None = None,
    ):
        super().__init__()
        self.register_buffer("source", source_tokens(lexicons, vocab_size, mask), persistent=False)
        found = [torch.empty(0, 3, dtype=torch.int64)]
        for lexicon in lexicons:
            entries = lexicon.entries(TRAINED)
            single = (entries.src_sizes == 1) & (entries.tgt_sizes == 1)
            sides = (entries.src_ids, entries.src_sizes), (entries.tgt_ids, entries.tgt_sizes)
            src, tgt = (torch.from_numpy(ids[np.repeat(single, sizes)]) for ids, sizes in sides)
            for token, translation, language in ((src, tgt, lexicon.tgt), (tgt, src, lexicon.src)):
                row = language_row(language) if language_row else 0
                found.append(torch.stack([token, translation, torch.full_like(token, row)], 1))
        distinct = torch.unique(torch.cat(found), dim=0)  # sorted by token
        count = torch.bincount(distinct[:, 0], minlength=vocab_size)
        self.register_buffer("count", count, persistent=False)
        self.register_buffer("start", count.cumsum(0) - count, persistent=False)
        # Otherwise, a token without a translation would read past the end.
        self.register_buffer("flat", F.pad(distinct[:, 1], (0, 1)), persistent=False)
        self.register_buffer("languages", F.pad(distinct[:, 2], (0, 1)), persistent=False)

    def translate(self, tokens: Tensor, draw: Tensor) -> Translation:
        """A translation of each token; draws in [0, 1) choose between several translations."""
        count = self.count[tokens]
        there = count > 0
        chosen = torch.minimum((draw.double() * count).long(), (count - 1).clamp(min=0))
        at = (self.start[tokens] + chosen).clamp(max=len(self.flat) - 1)
        return Translation(torch.where(there, self.flat[at], tokens), self.languages[at], there)


def source_tokens(lexicons: Sequence[Lexicon], vocab_size: int, mask: int) -> Tensor:
    """The ordinary tokens except those only on the target side of lexicons, int64, ascending.

    For a derived language, whose lexicon has all pieces, these are the natural language's half of the
    vocabulary and the shared pieces.
    """
    ordinary = np.setdiff1d(np.arange(len(SPECIALS), vocab_size), mask)
    sides = [[getattr(lexicon, side) for lexicon in lexicons] for side in ("src_ids", "tgt_ids")]
    src, tgt = (np.concatenate([np.empty(0, dtype=np.int64), *side]) for side in sides)
    return torch.from_numpy(np.setdiff1d(ordinary, np.setdiff1d(tgt, src)))
