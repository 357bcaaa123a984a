"""Minimise the distance of linked words (Cao et al. 2020, in the form of Wu & Dredze 2020)."""

from dataclasses import dataclass, replace

from xalign_fairseq.objectives.registry import Loss, register_objective
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.objectives.word_pairs import WordPairObjective, WordPairs
from xalign_fairseq.transport.precision import at_least_float32


@register_objective("l2_align")
@dataclass
class L2Align(WordPairObjective):
    """L = sum_i ||s_i - t_i||^2 over linked words; sides are encoded separately (Eq. 3).

    The count is the number of word pairs, so the mean is the paper's. Mapping all words to one point would minimise the
    loss: combine it with ``reg_param`` (Eq. 6) or ``reg_hidden``.
    """

    traits = replace(WordPairObjective.traits, in_nats=False)

    def forward(self, step: Step) -> Loss:
        pairs = WordPairs(step.bitext)
        s, t = self.vectors(step, pairs)
        # In half precision, sums overflow.
        return Loss(at_least_float32(s - t).square().sum(), pairs.rows.new_full((), len(pairs)))
