"""Contrastive alignment of linked words (Wu & Dredze 2020, section 2.1)."""

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.encoder.copies import Projection
from xalign_fairseq.objectives.gathering import all_gather_rows, gather_sizes, own_start
from xalign_fairseq.objectives.registry import Loss, RunContext, option, register_objective
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.objectives.word_pairs import WordPairObjective, WordPairs
from xalign_fairseq.transport.precision import at_least_float32


@register_objective("word_contrastive")
@dataclass
class WordContrastive(WordPairObjective):
    """L = - 1/2 sum_i (log p(t_i | s_i) + log p(s_i | t_i)) with p a softmax of cos(f(s), f(t)) / T (Eq. 7 and 8).

    The paper prints both equations without the minus sign. The count is the number B of word pairs in the batch, over
    all languages, so the mean is the paper's. A word's candidates are its partner and all other words: for weak
    alignment on the partner's side, for strong alignment on both sides. Other linked words and copies of the word are
    not negatives. With ``gather``, each worker compares its words with the candidates of all workers (not in
    validation, and without repeated batches). Memory grows with the square of the batch's words.
    """

    traits = replace(WordPairObjective.traits, stats=("accuracy", "similarity"), contrasts=True)

    negatives: str = option("weak", "weak (the other side's words, Eq. 7) or strong (the words of both sides, Eq. 8)")
    projection_dim: int = option(128, "size of the projected words")
    temperature: float = option(0.1, "divides the cosines")
    mask_repeated: bool = option(
        False,
        "exclude negatives of the word's own type (language and subwords) and of types linked with it "
        "anywhere in the batch",
    )
    gather: bool = option(False, "use the words of all workers")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_choices(negatives=("weak", "strong"))
        self.require_values(
            temperature=(self.temperature > 0, "above 0"), projection_dim=(self.projection_dim > 0, "above 0")
        )
        self.strong = self.negatives == "strong"

    def bind(self, context: RunContext) -> None:
        """Weak alignment needs a pivot language; its words are S."""
        super().bind(context)
        if not self.strong:
            self.required_pivot()

    def build_head(self) -> nn.Module:
        """The feature extractor f, H-H-128 with ReLU and without biases."""
        return Projection(self.context.config.encoder_embed_dim, self.projection_dim)

    def forward(self, step: Step) -> Loss:
        bitext = step.bitext
        gathers = self.gather and step.training
        # A batch that replaces a missing one repeats words.
        shown = 0 if gathers and step.batch.stands_in else len(bitext.links)
        sizes = gather_sizes(shown, bitext.links.device) if gathers else [shown]
        # Strong alignment treats both sides equally.
        pairs = WordPairs(bitext, None if self.strong else self.pivot_side(bitext))
        projected = step.head(torch.stack(self.vectors(step, pairs), 1))
        # Cosines and their sums in float32 at least.
        own = F.normalize(at_least_float32(projected), dim=-1)  # (K, 2, D)
        types = torch.stack(pairs.identities() if self.mask_repeated else pairs.occurrences(), 1)
        own, types = own[:shown], types[:shown]
        every, every_type, start = all_gather_rows(own, sizes), all_gather_rows(types, sizes), own_start(sizes)
        with torch.autocast(own.device.type, enabled=False):
            directions = [self._direction(anchor, own, every, types, every_type, start) for anchor in (0, 1)]
        count = pairs.rows.new_full((), shown)
        similarity = (own[:, 0] * own[:, 1]).detach().sum()
        stats = {
            "accuracy": (torch.stack([correct for _, correct in directions]).sum(), 2 * count),
            "similarity": (similarity, count),
        }
        return Loss(torch.stack([total for total, _ in directions]).sum() / 2, count, stats)

    def _direction(
        self, anchor: int, own: Tensor, every: Tensor, types: Tensor, every_type: Tensor, start: int
    ) -> tuple[Tensor, Tensor]:
        """- sum of log p(partner | word) for column ``anchor``, and the number of words nearest to their partner.

        ``own`` (K, 2, D) are this worker's words, from row ``start`` on of ``every`` (N, 2, D); candidates with the
        type of the word, or of a word linked to it, are left out.
        """
        columns = (1 - anchor, anchor) if self.strong else (1 - anchor,)
        logits = own[:, anchor] @ torch.cat([every[:, column] for column in columns]).T / self.temperature
        rows = torch.arange(len(own), device=own.device)
        partner = start + rows
        candidates = torch.cat([every_type[:, column] for column in columns])
        # In strong alignment, the candidates include the word itself.
        excluded = (types[:, anchor, None] == candidates) | _linked(types[:, anchor], every_type, candidates)
        excluded.scatter_(1, partner[:, None], False)
        logits = logits.masked_fill(excluded, -torch.inf)
        positive = logits[rows, partner]
        return (logits.logsumexp(1) - positive).sum(), (logits <= positive[:, None]).all(1).sum()


def _linked(words: Tensor, links: Tensor, candidates: Tensor) -> Tensor:
    """(K, M) bool: whether words (K,) and candidates (M,) are linked in either direction by links (N, 2)."""
    known = links.flatten().sort().values
    joined = torch.zeros(len(known), len(words), dtype=torch.int32, device=words.device)
    for one, other in (links.unbind(1), links.flip(1).unbind(1)):
        # Equal numbers share their first position.
        joined.index_add_(0, torch.searchsorted(known, other.contiguous()), (one[:, None] == words).int())
    return joined[torch.searchsorted(known, candidates)].T > 0
