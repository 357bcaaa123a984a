"""Denoising word alignment with self-labelled links (XLM-Align, Chi et al. 2021)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.data.batches import Bitext, OnHost
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.copies import ReadOnce
from xalign_fairseq.objectives.gathering import all_sum
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.extraction import describe_filter
from xalign_fairseq.transport.labels import Transport
from xalign_fairseq.transport.linking import Linking, with_heads
from xalign_fairseq.transport.methods import LabellingMethod
from xalign_fairseq.transport.names import FILTERS, ORDERS, POINTER_STARTS, SIMILARITIES
from xalign_fairseq.transport.pointer import Pointer
from xalign_fairseq.transport.unbalanced import Dustbin

QUERIES = ("masked", "unmasked", "all-aligned")
AGREEMENT_EVERY = 20  # updates between two comparisons of own and given labels


class DwaHead(ReadOnce):
    """The pointer, and buffers with the state of bootstrapping (own labels in use: 0 or 1) for resumed runs."""

    agreement: Tensor
    own_labels: Tensor

    def __init__(self, config: EncoderConfig, start: str = "random"):
        super().__init__()
        self.pointer = Pointer(config.encoder_embed_dim, start)
        self.register_buffer("agreement", torch.zeros(()))
        self.register_buffer("own_labels", torch.zeros(()))


TRANSPORT_OPTIONS = ("sinkhorn_iterations", "mu", "eps", "order", "filter", "filter_rounds", "filter_alpha")


@register_objective("dwa")
@dataclass
class DWA(Objective):
    """L_DWA = sum_{i in P} CE(a_i, A(i)), Eq. 11 to 15.

    The labels A come from a pass without gradient over the unperturbed pair, up to the labelling layer. An untrained
    model labels poorly. Labels can therefore come from prepared links until a given update, or until the model's labels
    agree with these links.
    """

    traits = Traits(
        needs=("bitext",),
        stats=("accuracy", "links_per_token", "masked_with_label", "pairs_without_label", "links_agreement"),
    )

    label_layer: int | None = option(
        None, "labelling layer (default: 10 of 12, the same relative depth for other encoders; Table 4)"
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
    method: str = option(
        "transport", "labelling method: transport, or ot-unbalanced, whose dustbin leaves words without a partner"
    )
    sinkhorn_iterations: int = option(2, "for transport: Sinkhorn iterations")
    mu: float = option(1.0, "for transport: entropic regularisation")
    eps: float = option(1e-6, "for transport: floor of the similarities")
    order: str = option(ORDERS[0], "for transport: columns-first (released code) or rows-first (Eq. 6)")
    filter: str = option(
        "itermax",
        "for transport: from plan to links by itermax (released code), itermax-paper (Eq. 9), argmax (one "
        "round) or union (no filter)",
    )
    filter_rounds: int = option(2, "rounds of itermax")
    filter_alpha: float = option(0.9, "itermax's discount of tokens that already have a link")
    queries: str = option("masked", "query positions: masked, unmasked or all-aligned")
    unmasked_prob: float = option(0.15, "share of unmasked tokens that become unmasked queries")
    start_update: int = option(1, "first update with labels")
    links_until: int = option(0, "use the prepared links as labels before this update; 0: never")
    links_agreement: float = option(
        0.0, "use the prepared links as labels until the F1 of the model's own labels against them reaches this"
    )

    def __post_init__(self) -> None:
        self.require_choices(
            queries=QUERIES,
            label_by=SIMILARITIES,
            pointer_start=POINTER_STARTS,
            method=("transport", "ot-unbalanced"),
            order=ORDERS,
            filter=FILTERS,
        )
        self.labeller = self._labelling_method()
        self.bootstraps = self.links_until > 0 or self.links_agreement > 0
        if self.bootstraps:
            self.traits = replace(self.traits, needs=("bitext", "links"))

    def _labelling_method(self) -> LabellingMethod:
        """How hidden states become labels; XalignError for an option that the method or its filter lacks."""
        read = describe_filter(self.filter, self.filter_rounds, self.filter_alpha)
        ignored = [f"filter_{name}" for name in ("rounds", "alpha") if name not in read]
        self._refuse("filter", "the filter has no such option", ignored)
        if self.method == "transport":
            return Transport(
                iterations=self.sinkhorn_iterations,
                mu=self.mu,
                eps=self.eps,
                order=self.order,
                filter=self.filter,
                rounds=self.filter_rounds,
                alpha=self.filter_alpha,
            )
        self._refuse("method", "the labelling method has no such option", (*TRANSPORT_OPTIONS, "label_by"))
        return Dustbin()

    def _refuse(self, chooser: str, problem: str, ignored: Sequence[str]) -> None:
        """Raise XalignError for options that have no effect, given the value of another option."""
        for each in ignored:
            if getattr(self, each) != getattr(DWA, each):
                where = (Parameter(f"dwa_{chooser}", getattr(self, chooser)),)
                raise XalignError(problem, where=where, parameter=f"dwa_{each}", found=getattr(self, each))

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
        """The pointer's two maps and the state of bootstrapping."""
        return DwaHead(self.context.config, self.pointer_start)

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        return [(step.bitext.input("masked"), self.layer)]

    def forward(self, step: Step) -> Loss:
        bitext, head = step.bitext, step.head
        labels, agreement = self._labels(step)
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
            "links_agreement": agreement,
        }
        return Loss(total, queries.sum(), stats)

    def _labels(self, step: Step) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        bitext = step.bitext
        nothing = torch.zeros((), device=bitext.tokens.device)
        agreement = nothing, nothing
        if step.training and step.update < self.start_update:
            return torch.full_like(bitext.tokens, -1), agreement
        given = step.training and self.bootstraps and not 0 < self.links_until <= step.update
        # A switch in an earlier run counts only if this run also switches by agreement.
        if given and self.links_agreement > 0:
            given = step.head.number("own_labels") == 0
        if not given:
            return self.self_labels(step), agreement
        if step.update % AGREEMENT_EVERY == 0:
            agreement = self._compare(step)
        return bitext.partner, agreement

    def self_labels(self, step: Step) -> Tensor:
        """The model's A(i) (B, T) int64, from a pass without gradient over the unperturbed pairs; -1: no link."""
        bitext = step.bitext
        hidden = step.encoder.states(bitext.input(), labelling=True).layer(self.linking.layer)
        method = with_heads(self.labeller, step.head.pointer if self.label_by == "pointer" else None)
        return method.labels(hidden, bitext.spans, sizes=bitext.longest).long()

    def _compare(self, step: Step) -> tuple[Tensor, Tensor]:
        """Record the F1 of own against given labels over all workers; switch when it reaches the target."""
        head: DwaHead = step.head
        given = step.bitext.partner
        own = self.self_labels(step).masked_fill(~step.bitext.has_links[:, None], -1)
        sums = torch.stack([((own == given) & (given >= 0)).sum() * 2, (own >= 0).sum() + (given >= 0).sum()]).double()
        sums = all_sum(sums * (not step.batch.stands_in))  # a replacement batch was compared before
        before, now = head.agreement, (sums[0] / sums[1].clamp(min=1)).to(head.agreement)
        after = torch.where(before > 0, 0.8 * before + 0.2 * now, now)
        head.agreement.copy_(torch.where(sums[1] > 0, after, before))
        # The only wait for the device: the host must know whether to run the labelling pass.
        if 0 < self.links_agreement <= float(head.agreement):
            head.put("own_labels", 1)
        return sums[0].float(), sums[1].float()

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
