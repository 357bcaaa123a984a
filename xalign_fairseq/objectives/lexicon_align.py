"""Align the input embeddings of dictionary entries (ALIGN-MLM, Tang et al. 2022)."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.encoder.translations import Entries
from xalign_fairseq.objectives.registry import Loss, Objective, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step


@register_objective("lexicon_align")
@dataclass
class LexiconAlign(Objective):
    """L_ALIGN = - ``1/|B|`` sum_i cos(E[B_i1], E[B_i2]) over the entries of the dictionaries (section 3).

    E are the input embeddings, tied to the output embeddings; several subwords are averaged. The loss sums 1 - cos,
    which has the same gradient. The count is the number of entries, so use ``--loss-normalization per-objective``:
    ``joint`` would add it to the number of masked tokens. The weight is the paper's alpha, 10 in the preset
    ``align_mlm``.
    """

    traits = Traits(needs=("lexicon",), counts_ahead=True, of_parameters="embeddings", in_nats=False)

    sample: int | None = option(
        None, "entries drawn per update, for dictionaries of millions (default: all, as in the paper)"
    )

    def __post_init__(self) -> None:
        self.require_values(sample=(self.sample is None or self.sample >= 1, "1 or more"))

    def build_head(self) -> nn.Module:
        """A head with the entries."""
        entries = Entries(self.context.lexicons)
        self.entries = min(len(entries), self.sample or len(entries))
        return entries

    def count(self, batch: Batch) -> int:
        """The number of drawn entries, independent of the batch."""
        return self.entries

    def forward(self, step: Step) -> Loss:
        entries: Entries = step.head
        rows = self._drawn(len(entries), step.update, entries.src.device)
        src, tgt = entries.vectors(step.encoder.sentence_encoder.embed_tokens.weight, rows)
        apart = 1 - F.cosine_similarity(src, tgt, dim=-1)
        return Loss(apart.sum(), torch.full((), len(apart), device=apart.device))

    def _drawn(self, size: int, update: int, device: torch.device) -> Tensor | None:
        """The rows of entries drawn for an update, keyed by seed and update; with replacement, at constant cost."""
        if self.sample is None or self.sample >= size:
            return None
        generator = torch.Generator().manual_seed(self.context.seed * 1_000_003 + update)
        return torch.randint(size, (self.sample,), generator=generator).to(device, non_blocking=True)
