"""A tutorial objective: pull the hidden states of aligned tokens together.

L = sum_{(i, A(i))} 1 - cos(h_i, h_A(i)), with the model's own links A; the partner is held fixed.
"""

from dataclasses import dataclass, field

import torch.nn.functional as F

from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, register_objective
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.precision import at_least_float32


@dataclass
class CosinePullConfig(ObjectiveConfig):
    """Each field becomes an option: ``--cosine-pull-weight``, ``--cosine-pull-layer``."""

    layer: int = field(default=-1, metadata={"help": "layer whose hidden states are pulled and label the links"})


@register_objective("cosine_pull", dataclass=CosinePullConfig)
class CosinePull(Objective):
    """The whole extension: what it needs, what it logs, and the loss."""

    needs = ("bitext",)
    stats = ("similarity",)

    def prepare(self, config):
        """Refuse a layer that the encoder lacks before any work is done."""
        config.resolve_layer(self.cfg.layer, "--cosine-pull-layer")

    def reads(self, step):
        """The pairs, in one pass with what other objectives read; without dropout it is the one that labels, too."""
        return [(step.bitext.input(), self.cfg.layer)]

    def forward(self, step):
        """Label without gradient, then compare with gradient."""
        encoder, bitext = step.encoder, step.bitext
        unperturbed = encoder.states(bitext.input(), labelling=True).layer(self.cfg.layer)
        labels = Transport().labels(unperturbed, bitext.spans).long()
        hidden = encoder.states(bitext.input()).layer(self.cfg.layer)
        partner = hidden.gather(1, labels.clamp(min=0)[..., None].expand_as(hidden)).detach()
        # Sums in half precision overflow.
        cosine = F.cosine_similarity(at_least_float32(hidden), at_least_float32(partner), dim=-1)
        linked = labels >= 0
        total = ((1 - cosine) * linked).sum()
        return Loss(total, linked.sum(), {"similarity": ((cosine.detach() * linked).sum(), linked.sum())})
