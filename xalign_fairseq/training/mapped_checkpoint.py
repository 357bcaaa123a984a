"""Compute linear maps in closed form from a checkpoint and a data-bin, and write a checkpoint with them."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import NamedTuple

import torch

from xalign_fairseq.core.devices import choose_device
from xalign_fairseq.core.files import StrPath, atomic_write, require_outside
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.shards import require_unchanged
from xalign_fairseq.encoder.checkpoint import load_encoder
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import require_new
from xalign_fairseq.encoder.vocabulary import require_same_tokenizer
from xalign_fairseq.training.procrustes import LinkedBitext, procrustes_maps, with_maps

Bar = Callable[[int], AbstractContextManager[Callable[[int], object] | None]]


class MappedLanguage(NamedTuple):
    """The mean squared distance of a language's word pairs over all layers, before and after its map."""

    language: str
    pivot: str
    word_pairs: int
    before: float
    after: float


@dataclass(frozen=True)
class MappedCheckpoint:
    """Orthogonal maps between languages, learned from linked words (Wu & Dredze 2020, Eq. 1)."""

    model: StrPath
    data: StrPath  # a data-bin with links and the same dictionary
    out: StrPath
    split: str = "train"
    lang_pairs: tuple[str, ...] | None = None  # such as ("en-de",); None: all pairs of the split
    pivot_lang: str | None = None  # None: English, otherwise the only language that all pairs share
    pooling: str = "first"  # vector of a word: that of its first token, or the mean over all its tokens
    device: str = "auto"
    batch_tokens: int = 8192
    overwrite: bool = False

    def write(self, progress: Bar = lambda pairs: nullcontext()) -> list[MappedLanguage]:
        """Learn the maps in one pass and write the checkpoint; returns each language's distance from the pivot."""
        require_new(self.out, self.overwrite)
        device = choose_device(self.device)
        data = DataBin(self.data)
        require_unchanged(data)
        state, where = read_pretrained(self.model)
        require_outside(where, self.out)
        encoder, _ = load_encoder(state, self.model)
        stored = (state.get("task_state") or {}).get("tokenizer") or {}
        require_same_tokenizer(stored, data, encoder.config.vocab_size)
        pairs = list(self.lang_pairs) if self.lang_pairs else None
        bitext = LinkedBitext(data, self.split, pairs, self.pivot_lang, encoder.config.max_positions)
        with atomic_write(self.out, "wb") as out:
            with progress(len(bitext)) as advance:
                maps, problems = procrustes_maps(
                    encoder.to(device), bitext, pooling=self.pooling, batch_tokens=self.batch_tokens, progress=advance
                )
            torch.save(with_maps(state, maps, data), out)
        found = []
        for language, problem in problems.items():
            before, after = (problem.distance(each).mean().item() for each in (None, maps.of(language)))
            found.append(MappedLanguage(language, bitext.pivot, problem.pairs, before, after))
        return found
