"""Denoising word alignment with self-labelled links (XLM-Align, Chi et al. 2021)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Optional

import torch
from torch import Tensor, nn

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.data.batches import Bitext, OnHost
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.copies import ReadOnce
from xalign_fairseq.objectives.gathering import all_sum
from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, choice, register_objective
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.extraction import describe_filter
from xalign_fairseq.transport.label_options import LabelOptions, reading
from xalign_fairseq.transport.methods import Dustbin, LabellingMethod, Transport
from xalign_fairseq.transport.names import FILTERS, ORDERS, POINTER_STARTS, SIMILARITIES
from xalign_fairseq.transport.pointer import Pointer

QUERIES = ("masked", "unmasked", "all-aligned")
AGREEMENT_EVERY = 20  # updates between two comparisons of own and given labels


@dataclass
class DwaConfig(ObjectiveConfig):
    """Options of ``dwa``; defaults follow the released code."""

    label_layer: Optional[int] = field(
        default=None, metadata={"help": "layer that labels (default: 10 of 12, the same depth elsewhere; Table 4)"}
    )
    label_by: str = field(
        default="hidden",
        metadata={"help": "similarity that labels: hidden (h_i . h_j, Eq. 1) or pointer (the pointer's own scores)"},
    )
    layer: int = field(default=-1, metadata={"help": "layer that the pointer reads (Table 5); -1: last"})
    pointer_start: str = field(
        default="random",
        metadata={
            "help": "the pointer's maps at first: random (released code), or identity, by which good states, of an "
            "encoder that is aligned already, stay good"
        },
    )
    pointer_scale: float = field(
        default=1.0,
        metadata={"help": "factor of the scores h_i . h_j / sqrt(d) that a pointer begins with from the identity"},
    )
    method: str = field(
        default="transport",
        metadata={
            "help": "labelling method: transport, or ot-unbalanced, whose dustbin leaves words without a partner "
            "(it has the options --dwa-dustbin..., not those of transport)"
        },
    )
    sinkhorn_iterations: int = field(default=2, metadata={"help": "Sinkhorn iterations of transport"})
    mu: float = field(default=1.0, metadata={"help": "entropic regularisation of transport"})
    eps: float = field(default=1e-6, metadata={"help": "floor of the similarities of transport"})
    order: str = field(
        default=ORDERS[0], metadata={"help": "columns-first (released code) or rows-first (Eq. 6), of transport"}
    )
    filter: str = field(
        default="itermax",
        metadata={
            "help": "links from transport's plan: itermax (released code), itermax-paper (Eq. 9), argmax (one round) "
            "or union (no filter)"
        },
    )
    filter_rounds: int = field(default=2, metadata={"help": "rounds of itermax"})
    filter_alpha: float = field(default=0.9, metadata={"help": "itermax's discount of tokens that have a link already"})
    dustbin: float = field(
        default=0.5, metadata={"help": "score of no partner beside cosines scaled to 0 to 1, of ot-unbalanced"}
    )
    dustbin_iterations: int = field(default=20, metadata={"help": "Sinkhorn iterations of ot-unbalanced"})
    dustbin_mu: float = field(default=0.1, metadata={"help": "entropic regularisation of ot-unbalanced"})
    dustbin_filter: str = field(default="argmax", metadata={"help": "links from ot-unbalanced's plan, as --dwa-filter"})
    queries: str = field(default="masked", metadata={"help": "positions that point: masked, unmasked or all-aligned"})
    unmasked_prob: float = field(default=0.15, metadata={"help": "share of unmasked tokens taken by unmasked queries"})
    start_update: int = field(default=1, metadata={"help": "updates before this one do not label"})
    links_until: int = field(
        default=0, metadata={"help": "take labels from the prepared links before this update; 0: never"}
    )
    links_agreement: float = field(
        default=0.0,
        metadata={"help": "take labels from the prepared links until the F1 of own labels against them reaches this"},
    )


class DwaHead(ReadOnce):
    """The pointer, and how far own labels have come; buffers, so that a resumed run goes on from there.

    ``own_labels`` is 0 or 1.
    """

    agreement: Tensor
    own_labels: Tensor

    def __init__(self, config: EncoderConfig, start: str = "random", scale: float = 1.0):
        super().__init__()
        self.pointer = Pointer(config.encoder_embed_dim, start, scale)
        self.register_buffer("agreement", torch.zeros(()))
        self.register_buffer("own_labels", torch.zeros(()))


# The options that a labelling method alone has.
METHOD_OPTIONS = {
    "transport": ("sinkhorn_iterations", "mu", "eps", "order", "filter"),
    "ot-unbalanced": ("dustbin", "dustbin_iterations", "dustbin_mu", "dustbin_filter"),
}


def labelling_method(cfg: DwaConfig) -> LabellingMethod:
    """How hidden states become labels.

    Raises:
        XalignError: there is no such method, it has no such option, or the option no such value.
    """
    chosen = choice(cfg.method, tuple(METHOD_OPTIONS), "--dwa-method")
    for method, options in METHOD_OPTIONS.items():
        for option in options if method != chosen else ():
            if getattr(cfg, option) != getattr(DwaConfig, option):
                raise XalignError(
                    "the labelling method has no such option",
                    where=f"--dwa-method {chosen}",
                    found=f"--dwa-{option.replace('_', '-')}",
                    expected=", ".join(f"--dwa-{each.replace('_', '-')}" for each in METHOD_OPTIONS[chosen]),
                )
    choice(cfg.order, ORDERS, "--dwa-order")
    choice(cfg.filter, FILTERS, "--dwa-filter")
    choice(cfg.dustbin_filter, FILTERS, "--dwa-dustbin-filter")
    rounds, alpha = cfg.filter_rounds, cfg.filter_alpha
    option, filter = ("filter", cfg.filter) if chosen == "transport" else ("dustbin-filter", cfg.dustbin_filter)
    read = describe_filter(filter, rounds, alpha)
    for name in ("rounds", "alpha"):
        if name not in read and getattr(cfg, f"filter_{name}") != getattr(DwaConfig, f"filter_{name}"):
            raise XalignError(
                "the filter has no such option",
                where=f"--dwa-{option} {filter}",
                found=f"--dwa-filter-{name}",
                expected=f"--dwa-{option} itermax",
            )
    if chosen == "transport":
        return Transport(
            iterations=cfg.sinkhorn_iterations, mu=cfg.mu, eps=cfg.eps, order=cfg.order,
            filter=cfg.filter, rounds=rounds, alpha=alpha,
        )  # fmt: skip
    if cfg.label_by == "pointer":
        raise XalignError(
            "a dustbin stands beside cosines of hidden states, not beside the pointer's scores",
            where=f"--dwa-method {cfg.method}",
            found="--dwa-label-by pointer",
            expected="--dwa-label-by hidden",
        )
    return Dustbin(
        dustbin=cfg.dustbin, mu=cfg.dustbin_mu, iterations=cfg.dustbin_iterations,
        filter=cfg.dustbin_filter, rounds=rounds, alpha=alpha,
    )  # fmt: skip


@register_objective("dwa", dataclass=DwaConfig)
class DenoisingWordAlignment(Objective):
    """L_DWA = sum_{i in P} CE(a_i, A(i)), Eq. 11 to 15.

    The labels A come from a pass without gradient over the unperturbed pair that stops at the labelling layer. For
    training from scratch, where such labels are poor at first, they can come from prepared links until a given update
    or until the model's own labels agree with those.
    """

    stats = ("accuracy", "links_per_token", "masked_with_label", "pairs_without_label", "links_agreement")
    cfg: DwaConfig
    labelling: LabelOptions

    def __init__(self, cfg: DwaConfig):
        super().__init__(cfg)
        choice(cfg.queries, QUERIES, "--dwa-queries")
        choice(cfg.label_by, SIMILARITIES, "--dwa-label-by")
        choice(cfg.pointer_start, POINTER_STARTS, "--dwa-pointer-start")
        fits = cfg.pointer_scale > 0 and (cfg.pointer_scale == 1 or cfg.pointer_start == "identity")
        expected = "a number above 0, beside --dwa-pointer-start identity"
        check_values("the pointer cannot begin so", ("--dwa-pointer-scale", cfg.pointer_scale, fits, expected))
        self.method = labelling_method(cfg)
        self.bootstraps = cfg.links_until > 0 or cfg.links_agreement > 0
        self.needs = ("bitext", "links") if self.bootstraps else ("bitext",)

    def prepare(self, config: EncoderConfig) -> None:
        """Resolve the layers; the pointer labels at the layer that it is trained on."""
        label = config.default_labelling_layer() if self.cfg.label_layer is None else self.cfg.label_layer
        layers = {
            "hidden": config.resolve_layer(label, "dwa_label_layer"),
            "pointer": config.resolve_layer(self.cfg.layer, "dwa_layer"),
        }
        self.labelling = LabelOptions(self.method, layers, self.cfg.label_by)

    def build_head(self, config: EncoderConfig) -> nn.Module:
        """The pointer's two maps and the state of bootstrapping."""
        return DwaHead(config, self.cfg.pointer_start, self.cfg.pointer_scale)

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        """The perturbed pairs."""
        return [(step.bitext.input("masked"), self.cfg.layer)]

    def forward(self, step: Step) -> Loss:
        """Label, choose the queries, point."""
        bitext, head = step.bitext, step.head
        labels, agreement = self._labels(step)
        queries = self._queries(bitext, labels)
        hidden = step.encoder.states(bitext.input("masked")).layer(self.cfg.layer)
        total, correct = head.pointer.loss(hidden, bitext.spans, queries, labels, most=self._most(bitext.host))
        masked = bitext.targets.ne(PAD)
        spans = bitext.spans
        tokens = (spans[:, 1] - spans[:, 0] + spans[:, 3] - spans[:, 2]).sum()
        # Transport links every pair that has tokens on both sides, but for one with non-finite hidden states.
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
        if step.training and step.update < self.cfg.start_update:
            return torch.full_like(bitext.tokens, -1), agreement
        given = step.training and self.bootstraps and not self._labels_itself(step)
        if not given:
            return self.self_labels(step), agreement
        if step.update % AGREEMENT_EVERY == 0:
            agreement = self._compare(step)
        return bitext.partner, agreement

    def _labels_itself(self, step: Step) -> bool:
        late = self.cfg.links_until > 0 and step.update >= self.cfg.links_until
        # A head that has switched over in an earlier run is asked only where this run switches by agreement too.
        return late or (self.cfg.links_agreement > 0 and step.head.number("own_labels") > 0)

    def self_labels(self, step: Step) -> Tensor:
        """A(i) (B, T) int64 of the model itself, from a pass without gradient over the unperturbed pairs; -1: none."""
        bitext = step.bitext
        hidden = step.encoder.states(bitext.input(), labelling=True).layer(self.labelling.layer)
        method = reading(self.method, step.head.pointer if self.labelling.similarity == "pointer" else None)
        return method.labels(hidden, bitext.spans, sizes=bitext.longest).long()

    def _compare(self, step: Step) -> tuple[Tensor, Tensor]:
        """F1 of own labels against given ones, over all workers; remember it and switch over when it is reached."""
        head: DwaHead = step.head
        given = step.bitext.partner
        own = self.self_labels(step).masked_fill(~step.bitext.has_links[:, None], -1)
        sums = torch.stack([((own == given) & (given >= 0)).sum() * 2, (own >= 0).sum() + (given >= 0).sum()]).double()
        sums = all_sum(sums * (not step.batch.stands_in))  # which was compared when it was this worker's own
        before, now = head.agreement, (sums[0] / sums[1].clamp(min=1)).to(head.agreement)
        after = torch.where(before > 0, 0.8 * before + 0.2 * now, now)
        head.agreement.copy_(torch.where(sums[1] > 0, after, before))
        # The one look of the host at the device: it has to know whether it is to run the pass that labels.
        if 0 < self.cfg.links_agreement <= float(head.agreement):
            head.put("own_labels", 1)
        return sums[0].float(), sums[1].float()

    def _most(self, host: OnHost) -> int | None:
        """A bound on the queries of a pair, of what the host knows; None for any number."""
        masked = host.targets != PAD
        if self.cfg.queries == "masked":
            return int(masked.sum(1).max())
        if self.cfg.queries == "unmasked":
            drawn = ~masked & (host.draw < self.cfg.unmasked_prob)
            return int((drawn & (host.inside(0) | host.inside(1))).sum(1).max())
        return None

    def _queries(self, bitext: Bitext, labels: Tensor) -> Tensor:
        """Query positions P (B, T), Eq. 14 and Table 7."""
        labelled = labels >= 0
        masked = bitext.targets.ne(PAD)
        if self.cfg.queries == "masked":
            return labelled & masked
        if self.cfg.queries == "unmasked":
            return labelled & ~masked & (bitext.draw < self.cfg.unmasked_prob)
        # One token of each aligned pair: the source token decides by its draw, which its partner looks up.
        source = torch.arange(labels.shape[1], device=labels.device) < bitext.spans[:, 1:2]
        own = bitext.draw < 0.5
        partners = own.gather(1, labels.clamp(min=0))
        return labelled & torch.where(source, own, ~partners)
