"""The entries of bilingual lexicons as tensors beside the encoder: what the objectives on dictionaries read."""

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.lexicon import TRAINED, Lexicon
from xalign_fairseq.transport.precision import at_least_float32


class Entries(nn.Module):
    """The trained entries of all lexicons: ``src`` (N, Ls) and ``tgt`` (N, Lt) int64 subword ids, padded.

    Buffers that no checkpoint stores: the task keeps the lexicons themselves.
    """

    src: Tensor
    tgt: Tensor

    def __init__(self, lexicons: Sequence[Lexicon], pad: int):
        super().__init__()
        self.pad = pad
        sides = zip(*(lexicon.entries(TRAINED).padded(pad) for lexicon in lexicons), strict=True)
        for name, tables in zip(("src", "tgt"), sides, strict=True):
            width = max(table.shape[1] for table in tables)
            joined = torch.cat([F.pad(table, (0, width - table.shape[1]), value=pad) for table in tables])
            self.register_buffer(name, joined, persistent=False)

    def __len__(self) -> int:
        return len(self.src)

    def vectors(self, embeddings: Tensor, rows: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The mean of the embeddings (V, H) of each entry's subwords, (N, H) a side, at least float32; or of rows."""
        src, tgt = (self._mean(side if rows is None else side[rows], embeddings) for side in (self.src, self.tgt))
        return src, tgt

    def _mean(self, side: Tensor, embeddings: Tensor) -> Tensor:
        real = side.ne(self.pad)[..., None]
        return (at_least_float32(F.embedding(side, embeddings)) * real).sum(1) / real.sum(1)


class TranslationTable(nn.Module):
    """The translations of single tokens, in both directions, by entries that are one subword on either side.

    Token t has ``count[t]`` translations, which stand in ``flat`` from ``start[t]`` on. A token that both languages
    share may have itself.
    """

    start: Tensor
    count: Tensor
    flat: Tensor

    def __init__(self, lexicons: Sequence[Lexicon], vocab_size: int):
        super().__init__()
        pairs = [torch.empty(0, 2, dtype=torch.int64)]
        for lexicon in lexicons:
            entries = lexicon.entries(TRAINED)
            single = (entries.src_sizes == 1) & (entries.tgt_sizes == 1)
            sides = (entries.src_ids, entries.src_sizes), (entries.tgt_ids, entries.tgt_sizes)
            src, tgt = (torch.from_numpy(ids[np.repeat(single, sizes)]) for ids, sizes in sides)
            both = torch.stack([src, tgt], 1)
            pairs += [both, both.flip(1)]
        distinct = torch.unique(torch.cat(pairs), dim=0)  # sorted by token
        count = torch.bincount(distinct[:, 0], minlength=vocab_size)
        self.register_buffer("count", count, persistent=False)
        self.register_buffer("start", count.cumsum(0) - count, persistent=False)
        # A token without a translation would otherwise look behind the end.
        self.register_buffer("flat", F.pad(distinct[:, 1], (0, 1)), persistent=False)

    def translate(self, tokens: Tensor, draw: Tensor) -> tuple[Tensor, Tensor]:
        """A translation of each token, and whether it has one.

        Args:
            tokens: ids of any shape.
            draw: numbers in [0, 1) of the same shape, which choose between several translations.

        Returns:
            ids, those of the tokens where there is no translation; bool.
        """
        count = self.count[tokens]
        there = count > 0
        chosen = torch.minimum((draw.double() * count).long(), (count - 1).clamp(min=0))
        found = self.flat[(self.start[tokens] + chosen).clamp(max=len(self.flat) - 1)]
        return torch.where(there, found, tokens), there
