"""Minimise the cost of optimal transport between both sides of a pair, without links (Alqahtani et al. 2021)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.batches import Batch, Bitext
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.received import received_attention
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.transport.names import ENCODINGS
from xalign_fairseq.transport.options import SinkhornOptions
from xalign_fairseq.transport.precision import at_least_float32
from xalign_fairseq.transport.similarity import pair_similarity, side_positions
from xalign_fairseq.transport.sinkhorn.plan import sinkhorn_plan
from xalign_fairseq.transport.unbalanced import dustbin_plan


@register_objective("ot_align")
@dataclass
class OtAlign(Objective):
    """L = sum over pairs of sum_ij P_ij C_ij, the cost of the transport P between both sides; C_ij = 1 - cos(h_i, h_j).

    P is the entropic plan of K = exp(cos/mu) (Cuturi 2013) between masses that sum to 1 on each side; the cost of a
    pair is a mean over its tokens, 0 to 2. The gradient flows through C and P. Masses are 1/n, or the attention that a
    token receives from its own side: the mean over heads and queries of the softmax over these tokens, with the query
    and key maps of the aligned layer, without gradient.

    With ``--ot-align-dustbin z``, transport is unbalanced (Sarlin et al. 2020; Arase et al. 2023): mass can stay
    without a partner at the cost (1 - z) / 2 on each side, so two tokens are paired if their cosine exceeds z. The cost
    is divided by the mean mass of both sides.

    Sides are encoded separately, because in a joint sequence a token could copy its partner. The count is the number of
    pairs with tokens on both sides: use ``--loss-normalization per-objective``. Mapping all tokens to one point would
    minimise the loss: combine it with ``mlm`` and ``tlm``, ``reg_param`` or ``reg_hidden``.
    """

    traits = Traits(
        needs=("bitext",), stats=("alone", "best_partner", "pairs_without_plan"), counts_ahead=True, in_nats=False
    )

    layer: int | None = option(None, "layer to align (default: 10 of 12, the same relative depth for other encoders)")
    encoding: str = option("separate", "separate (each side alone) or joint (both sides in one sequence)")
    marginals: str = option(
        "uniform", "mass of a token: uniform, or attention (what it receives from its own side at this layer)"
    )
    mu: float = option(0.1, "entropic regularisation, in units of cosine")
    iterations: int = option(20, "Sinkhorn iterations")
    dustbin: float | None = option(
        None,
        "cosine, from 0 to 1, below which two tokens stay without a partner: unbalanced transport with a "
        "dustbin (default: none; all mass is transported)",
    )

    def __post_init__(self) -> None:
        self.require_choices(encoding=ENCODINGS, marginals=("uniform", "attention"))
        self.require_values(
            mu=(self.mu > 0, "a number above 0"),
            iterations=(self.iterations >= 1, "1 or more"),
            dustbin=(self.dustbin is None or 0 <= self.dustbin <= 1, "0 to 1"),
        )

    def bind(self, context: RunContext) -> None:
        """Resolve the layer; embeddings have no attention."""
        super().bind(context)
        self.trained_layer = self.resolve_layer("layer", context.config.default_labelling_layer())
        if self.trained_layer == 0 and self.marginals == "attention":
            raise XalignError(
                "there is no attention in the embeddings",
                where=(Parameter("ot_align_marginals", "attention"),),
                parameter="ot_align_layer",
                found=0,
                expected=f"layer 1 to {context.config.encoder_layers}",
            )

    def count(self, batch: Batch) -> int:
        """Pairs with tokens on both sides; pairs with non-finite states have no loss."""
        return int(declared(batch.bitext, "bitext").sizes.all(1).sum())

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        """The pairs."""
        return [(given, self.trained_layer) for given in step.bitext.pair_inputs(self.encoding)]

    def forward(self, step: Step) -> Loss:
        """Sum of the costs of all pairs that have tokens on both sides and finite states."""
        encoder, bitext = step.encoder, step.bitext
        hidden, spans = encoder.pair_states(bitext, self.trained_layer, self.encoding)
        unit = F.normalize(at_least_float32(hidden), dim=2)
        cosine, src_mask, tgt_mask = pair_similarity(unit, spans, sizes=bitext.longest)
        finite = cosine.sum((1, 2)).isfinite()
        both = src_mask.any(1) & tgt_mask.any(1)
        there = (both & finite)[:, None]
        cosine = cosine.masked_fill(~there[:, :, None], 0.0)
        masks = src_mask & there, tgt_mask & there
        plan, alone = self._transport(cosine, masks, self._masses(encoder, bitext, masks, cosine.dtype))
        total = (plan * (1 - cosine)).sum() + alone * (1 - (self.dustbin or 0.0))
        count, moved = there.sum(), plan.detach()
        stats = {
            "alone": (alone.detach(), count),
            # With one more column the maximum of a side without a token is 0.
            "best_partner": (F.pad(moved, (0, 1)).amax(2).sum(), moved.sum()),
            "pairs_without_plan": ((both & ~finite).sum(), count.new_full((), len(spans))),
        }
        return Loss(total, count, stats)

    def _masses(
        self, encoder: StepEncoder, bitext: Bitext, masks: tuple[Tensor, Tensor], dtype: torch.dtype
    ) -> list[Tensor]:
        """The share of each token in its side, (B, n) and (B, m)."""
        if self.marginals == "uniform":
            return [mask.to(dtype) / mask.sum(1, keepdim=True).clamp_min(1) for mask in masks]
        # Layer l's states come out of a layer that has read those of l - 1.
        layer: Any = encoder.sentence_encoder.layers[self.trained_layer - 1]
        hidden, spans = encoder.pair_states(bitext, self.trained_layer - 1, self.encoding)
        each = []
        for side, mask in enumerate(masks):
            positions, _ = side_positions(spans, side, mask.shape[1])
            own = hidden.detach().gather(1, positions[:, :, None].expand(-1, -1, hidden.shape[2]))
            each.append(received_attention(layer.self_attn, own, mask))
        return each

    def _transport(self, cosine: Tensor, masks: tuple[Tensor, Tensor], masses: list[Tensor]) -> tuple[Tensor, Tensor]:
        """The plan (B, n, m) and the unmatched mass of all pairs; together they are 1 for each pair."""
        src_mass, tgt_mass = masses
        if self.dustbin is None:
            options = SinkhornOptions(iterations=self.iterations, mu=self.mu)
            plan = sinkhorn_plan(cosine.exp(), *masks, options, src_mass=src_mass, tgt_mass=tgt_mass)
            return plan, plan.new_zeros(())
        n, m = (mask.sum(1, keepdim=True) for mask in masks)
        plan = dustbin_plan(
            cosine,
            *masks,
            self.dustbin,
            iterations=self.iterations,
            mu=self.mu,
            src_mass=src_mass * n,
            tgt_mass=tgt_mass * m,
        )
        both = (n + m).clamp_min(1).to(plan.dtype)
        # A pair of tokens has mass of both sides, an unmatched token mass of one.
        alone = (plan[:, :-1, -1] / both).sum() + (plan[:, -1, :-1] / both).sum()
        return plan[:, :-1, :-1] * (2 / both[:, :, None]), alone
