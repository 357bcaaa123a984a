"""Minimise the cost of optimal transport between both sides of a pair, without links (Alqahtani et al. 2021)."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch.nn.functional as F

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.transport.options import SinkhornOptions
from xalign_fairseq.transport.similarity import pair_cosines
from xalign_fairseq.transport.sinkhorn.plan import sinkhorn_plan

PLAN = SinkhornOptions(iterations=20, mu=0.1)


@register_objective("ot_align")
@dataclass
class OtAlign(Objective):
    """L = sum over pairs of sum_ij P_ij C_ij, the cost of the transport P between both sides; C_ij = 1 - cos(h_i, h_j).

    P is the entropic plan for K = exp(cos / 0.1) after 20 iterations (Cuturi 2013), with uniform masses that sum to 1
    on each side. So a pair's cost is a mean over its tokens, from 0 to 2. The gradient flows through C and P.

    Sides are encoded separately, because in a joint sequence a token could copy its partner. The count is the number of
    pairs with tokens on both sides: use ``--loss-normalization per-objective``. Mapping all tokens to one point would
    minimise the loss: combine it with ``mlm`` and ``tlm``, ``reg_param`` or ``reg_hidden``.
    """

    traits = Traits(needs=("bitext",), stats=("best_partner", "pairs_without_plan"), counts_ahead=True, in_nats=False)

    layer: int | None = option(None, "layer to align (default: 10 of 12, the same relative depth for other encoders)")

    def bind(self, context: RunContext) -> None:
        super().bind(context)
        self.trained_layer = self.resolve_layer("layer", context.config.default_labelling_layer())

    def count(self, batch: Batch) -> int:
        """Pairs with tokens on both sides; pairs with non-finite states have no loss."""
        return declared(batch.bitext, "bitext").complete

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        return [(given, self.trained_layer) for given in step.bitext.pair_inputs("separate")]

    def forward(self, step: Step) -> Loss:
        bitext = step.bitext
        hidden, spans = step.encoder.pair_states(bitext, self.trained_layer, "separate")
        cosine, src_mask, tgt_mask = pair_cosines(hidden, spans, bitext.longest)
        there = (src_mask.any(1) & tgt_mask.any(1))[:, None]
        src, tgt = src_mask & there, tgt_mask & there
        src_mass, tgt_mass = (mask.to(cosine.dtype) / mask.sum(1, keepdim=True).clamp_min(1) for mask in (src, tgt))
        plan = sinkhorn_plan(cosine.exp(), src, tgt, PLAN, src_mass=src_mass, tgt_mass=tgt_mass)
        count, moved = there.sum(), plan.detach()
        whole = (spans[:, 1::2] > spans[:, ::2]).all(1)
        stats = {
            # With one more column, the maximum over an empty side is 0.
            "best_partner": (F.pad(moved, (0, 1)).amax(2).sum(), moved.sum()),
            "pairs_without_plan": (whole.sum() - count, count.new_full((), len(spans))),
        }
        return Loss((plan * (1 - cosine)).sum(), count, stats)
