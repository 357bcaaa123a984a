"""Denoising word alignment with self-labelled links (XLM-Align, Chi et al. 2021)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.batches import Bitext, OnHost
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.names import FILTERS, ORDERS, POINTER_STARTS, SIMILARITIES
from xalign_fairseq.transport.plan_links import Transport
from xalign_fairseq.transport.pointer import Pointer

QUERIES = ("masked", "unmasked", "all-aligned")


@register_objective("dwa")
@dataclass
class DWA(Objective):
    """L_DWA = sum_{i in P} CE(a_i, A(i)), Eq. 11 to 15.

    The labels A come from a pass without gradient over the unperturbed pair, up to the labelling layer. An untrained
    model labels poorly. Labels can therefore come from prepared links until a given update.
    """

    traits = Traits(
        needs=("bitext",), stats=("accuracy", "links_per_token", "masked_with_label", "pairs_without_label")
    )

    label_layer: int | None = option(
        None, "labelling layer (default: 10 of 12, Table 11, the same depth in other encoders; Table 4 compares layers)"
    )
    label_by: str = option(
        "hidden", "similarity for labels: hidden (h_i . h_j, Eq. 1) or pointer (the pointer's own scores)"
    )
    layer: int = option(-1, "layer that the pointer reads (Table 5); -1: last")
    pointer_start: str = option(
        "random",
        "initial pointer maps: random (released code) or identity, which keeps the good states of an "
        "encoder that is already aligned",
    )
    sinkhorn_iterations: int = option(2, "Sinkhorn iterations")
    mu: float = option(1.0, "entropic regularisation")
    eps: float = option(1e-6, "floor of the similarities")
    order: str = option(ORDERS[0], "columns-first (released code) or rows-first (Eq. 6)")
    filter: str = option(
        "itermax",
        "from plan to links by itermax (released code), itermax-paper (Eq. 9), argmax (one round) or union (no filter)",
    )
    filter_rounds: int = option(2, "rounds of itermax")
    filter_alpha: float = option(0.9, "itermax's discount of tokens that already have a link")
    queries: str = option("masked", "query positions: masked, unmasked or all-aligned")
    unmasked_prob: float = option(0.15, "share of unmasked tokens that become unmasked queries")
    start_update: int = option(1, "first update with labels; updates count from 0, so with 1 the very first has none")
    links_until: int = option(0, "use the prepared links as labels before this update; 0: never")

    def __post_init__(self) -> None:
        self.require_choices(
            queries=QUERIES, label_by=SIMILARITIES, pointer_start=POINTER_STARTS, order=ORDERS, filter=FILTERS
        )
        self.labeller = self._labeller()
        if self.links_until > 0:
            self.traits = replace(self.traits, needs=("bitext", "links"))

    def _labeller(self) -> Transport:
        """How hidden states become labels; XalignError for an option that the filter lacks."""
        read = Transport(filter=self.filter).describe()
        for each in ("rounds", "alpha"):
            name = f"filter_{each}"
            if each not in read and getattr(self, name) != getattr(DWA, name):
                where = (Parameter("dwa_filter", self.filter),)
                raise XalignError("the filter has no such option", where=where, parameter=f"dwa_{name}")
        return Transport(
            iterations=self.sinkhorn_iterations,
            mu=self.mu,
            eps=self.eps,
            order=self.order,
            filter=self.filter,
            rounds=self.filter_rounds,
            alpha=self.filter_alpha,
        )

    def bind(self, context: RunContext) -> None:
        """Resolve the layers; a pointer labels at the layer that it is trained on."""
        super().bind(context)
        layers = {
            "hidden": self.resolve_layer("label_layer", context.config.default_labelling_layer()),
            "pointer": self.resolve_layer("layer"),
        }
        self.linking = Linking.of(self.labeller, layers, self.label_by)

    @property
    def labelling(self) -> Linking:
        """The labelling method at the labelling layer."""
        return self.linking

    def build_head(self) -> nn.Module:
        """The pointer's two maps."""
        return nn.ModuleDict({"pointer": Pointer(self.context.config.encoder_embed_dim, self.pointer_start)})

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        return [(step.bitext.input("masked"), self.layer)]

    def forward(self, step: Step) -> Loss:
        bitext, head = step.bitext, step.head
        labels = self._labels(step)
        queries = self._queries(bitext, labels)
        hidden = step.encoder.states(bitext.input("masked")).layer(self.layer)
        total, correct = head.pointer.loss(hidden, bitext.spans, queries, labels, most=self._most(bitext.host))
        masked = bitext.targets.ne(PAD)
        spans = bitext.spans
        tokens = (spans[:, 1] - spans[:, 0] + spans[:, 3] - spans[:, 2]).sum()
        # Transport gives links for every pair with tokens on both sides, unless hidden states are not finite.
        unlabelled = ~(labels >= 0).any(1) & (spans[:, 1] > spans[:, 0]) & (spans[:, 3] > spans[:, 2])
        stats = {
            "accuracy": (correct, queries.sum()),
            "links_per_token": ((labels >= 0).sum(), tokens),
            "masked_with_label": ((masked & (labels >= 0)).sum(), masked.sum()),
            "pairs_without_label": (unlabelled.sum(), spans.new_full((), len(spans))),
        }
        return Loss(total, queries.sum(), stats)

    def _labels(self, step: Step) -> Tensor:
        """Prepared links or A(i) (B, T) int64, by a pass without gradient over the unperturbed pairs; -1: no link."""
        if step.training and step.update < self.start_update:
            return torch.full_like(step.bitext.tokens, -1)
        if step.training and step.update < self.links_until:
            return step.bitext.partner
        bitext = step.bitext
        hidden = step.encoder.states(bitext.input(), labelling=True).layer(self.linking.layer)
        method = self.labeller.with_heads(step.head.pointer if self.label_by == "pointer" else None)
        return method.labels(hidden, bitext.spans, sizes=bitext.longest).long()

    def _most(self, host: OnHost) -> int | None:
        """A bound on a pair's number of queries, from values on the host; None: unbounded."""
        masked = host.targets != PAD
        if self.queries == "masked":
            return int(masked.sum(1).max())
        if self.queries == "unmasked":
            drawn = ~masked & (host.draw < self.unmasked_prob)
            return int((drawn & (host.inside(0) | host.inside(1))).sum(1).max())
        return None

    def _queries(self, bitext: Bitext, labels: Tensor) -> Tensor:
        """Query positions P (B, T), Eq. 14 and Table 7."""
        labelled = labels >= 0
        masked = bitext.targets.ne(PAD)
        if self.queries == "masked":
            return labelled & masked
        if self.queries == "unmasked":
            return labelled & ~masked & (bitext.draw < self.unmasked_prob)
        # One token of each linked pair: the source token's draw decides; its partner looks it up.
        source = torch.arange(labels.shape[1], device=labels.device) < bitext.spans[:, 1:2]
        own = bitext.draw < 0.5
        partners = own.gather(1, labels.clamp(min=0))
        return labelled & torch.where(source, own, ~partners)
