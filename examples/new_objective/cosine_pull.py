"""A tutorial objective: pull the hidden states of aligned tokens together.

L = sum_{(i, A(i))} 1 - cos(h_i, h_A(i)), with the model's own links A; the partner is held fixed.
"""

from dataclasses import dataclass

import torch.nn.functional as F

from xalign_fairseq.objectives import Loss, Objective, Traits, option, register_objective
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.precision import at_least_float32


@register_objective("cosine_pull")
@dataclass
class CosinePull(Objective):
    """The whole extension: its needs, statistics, options (``--cosine-pull-layer``) and loss."""

    traits = Traits(needs=("bitext",), stats=("similarity",), in_nats=False)

    layer: int = option(-1, "layer of the hidden states that give the links and are pulled")

    def reads(self, step):
        """Pairs, in one pass shared with other objectives; without dropout this pass also gives the links."""
        return [(step.bitext.input(), self.layer)]

    def forward(self, step):
        """Label without gradient, then compare with gradient."""
        encoder, bitext = step.encoder, step.bitext
        unperturbed = encoder.states(bitext.input(), labelling=True).layer(self.layer)
        labels = Transport().labels(unperturbed, bitext.spans).long()
        hidden = encoder.states(bitext.input()).layer(self.layer)
        partner = hidden.gather(1, labels.clamp(min=0)[..., None].expand_as(hidden)).detach()
        # Sums in half precision overflow.
        cosine = F.cosine_similarity(at_least_float32(hidden), at_least_float32(partner), dim=-1)
        linked = labels >= 0
        total = ((1 - cosine) * linked).sum()
        return Loss(total, linked.sum(), {"similarity": ((cosine.detach() * linked).sum(), linked.sum())})
