"""Denoising word alignment with self-labelled links (XLM-Align, Chi et al. 2021)."""

from dataclasses import dataclass, field, fields
from typing import Any, Optional

import torch
from torch import Tensor, nn

from xalign_fairseq.data.batches import Bitext, OnHost
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.errors import XalignError
from xalign_fairseq.objectives.registry import Loss, Objective, ObjectiveConfig, choice, register_objective
from xalign_fairseq.objectives.step import Step
from xalign_fairseq.transport.extraction import FILTERS
from xalign_fairseq.transport.labels import partners, self_label
from xalign_fairseq.transport.methods import Dustbin, Transport
from xalign_fairseq.transport.pointer import Pointer
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn.reference import ORDERS

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
    method: str = field(
        default="transport",
        metadata={
            "help": "way to the labels: transport, or ot-unbalanced, whose dustbin leaves words without a partner"
        },
    )
    sinkhorn_iterations: Optional[int] = field(
        default=None, metadata={"help": "Sinkhorn iterations (default: 2 of transport, 20 of ot-unbalanced)"}
    )
    mu: Optional[float] = field(
        default=None, metadata={"help": "entropic regularisation (default: 1 of transport, 0.1 of ot-unbalanced)"}
    )
    eps: Optional[float] = field(
        default=None, metadata={"help": "floor of the similarities (transport alone; default: 1e-6)"}
    )
    order: Optional[str] = field(
        default=None,
        metadata={
            "help": "columns-first (released code) or rows-first (Eq. 6) (transport alone; default: columns-first)"
        },
    )
    dustbin: Optional[float] = field(
        default=None,
        metadata={"help": "score of no partner beside cosines scaled to 0 to 1 (ot-unbalanced alone; default: 0.5)"},
    )
    filter: Optional[str] = field(
        default=None,
        metadata={
            "help": "itermax (released code), itermax-paper (Eq. 9), argmax (one round) or union (no filter) "
            "(default: itermax of transport, argmax of ot-unbalanced)"
        },
    )
    filter_rounds: int = field(default=2, metadata={"help": "rounds of the filter"})
    filter_alpha: float = field(default=0.9, metadata={"help": "discount of tokens that have a link already"})
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


class DwaHead(nn.Module):
    """The pointer, and how far own labels have come; buffers, so that a resumed run goes on from there.

    ``own_labels`` is 0 or 1; a float, since fairseq's moving average averages buffers too.
    """

    agreement: Tensor
    own_labels: Tensor

    def __init__(self, config: EncoderConfig):
        super().__init__()
        self.pointer = Pointer(config.encoder_embed_dim)
        self.register_buffer("agreement", torch.zeros(()))
        self.register_buffer("own_labels", torch.zeros(()))
        self._switched: bool | None = None

    @property
    def switched(self) -> bool:
        """``own_labels`` on the host, which reads it once and not in every update."""
        if self._switched is None:
            self._switched = float(self.own_labels) > 0
        return self._switched

    def switch(self) -> None:
        """Own labels from now on."""
        self.own_labels.fill_(1)
        self._switched = True

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        super()._load_from_state_dict(*args, **kwargs)
        self._switched = None


METHODS = {"transport": Transport, "ot-unbalanced": Dustbin}
# The methods' own names of those options that are called otherwise here.
RENAMED = {"sinkhorn_iterations": "iterations", "filter_rounds": "rounds", "filter_alpha": "alpha"}


def labelling_method(cfg: DwaConfig) -> Transport | Dustbin:
    """How hidden states become links, with the method's own defaults for what was not given.

    Raises:
        XalignError: there is no such method, it has no such option, or the option no such value.
    """
    made = METHODS[choice(cfg.method, tuple(METHODS), "--dwa-method")]
    known = {each.name for each in fields(made)}
    given = {}
    for option in ("sinkhorn_iterations", "mu", "eps", "order", "dustbin", "filter", "filter_rounds", "filter_alpha"):
        value, name = getattr(cfg, option), RENAMED.get(option, option)
        if value is not None and name not in known:
            raise XalignError(
                "the way to the labels has no such option",
                where=f"--dwa-method {cfg.method}",
                found=f"--dwa-{option.replace('_', '-')}",
            )
        if value is not None:
            given[name] = value
    if made is Dustbin and cfg.label_by == "pointer":
        raise XalignError(
            "a dustbin stands beside cosines of hidden states, not beside the pointer's scores",
            where=f"--dwa-method {cfg.method}",
            found="--dwa-label-by pointer",
            expected="--dwa-label-by hidden",
        )
    return made(**given)


@register_objective("dwa", dataclass=DwaConfig)
class DenoisingWordAlignment(Objective):
    """L_DWA = sum_{i in P} CE(a_i, A(i)), Eq. 11 to 15.

    The labels A come from a pass without gradient over the unperturbed pair that stops at the labelling layer. For
    training from scratch, where such labels are poor at first, they can come from prepared links until a given update
    or until the model's own labels agree with those.
    """

    stats = ("accuracy", "links_per_token", "masked_with_label", "pairs_without_label", "links_agreement")
    cfg: DwaConfig

    def __init__(self, cfg: DwaConfig):
        super().__init__(cfg)
        choice(cfg.queries, QUERIES, "--dwa-queries")
        choice(cfg.label_by, ("hidden", "pointer"), "--dwa-label-by")
        if cfg.order is not None:
            choice(cfg.order, ORDERS, "--dwa-order")
        if cfg.filter is not None:
            choice(cfg.filter, FILTERS, "--dwa-filter")
        self.method = labelling_method(cfg)
        self.bootstraps = cfg.links_until > 0 or cfg.links_agreement > 0
        self.needs = ("bitext", "links") if self.bootstraps else ("bitext",)

    def prepare(self, config: EncoderConfig) -> None:
        """Resolve the labelling and the pointer's layer; the pointer labels at the layer that it is trained on."""
        label = self.cfg.layer if self.cfg.label_by == "pointer" else self.cfg.label_layer
        self.label_layer = config.default_labelling_layer() if label is None else label
        config.resolve_layer(self.label_layer, "--dwa-label-layer")
        config.resolve_layer(self.cfg.layer, "--dwa-layer")

    def build_head(self, config: EncoderConfig) -> nn.Module:
        """The pointer's two maps and the state of bootstrapping."""
        return DwaHead(config)

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
            return self._own(step), agreement
        if step.update % AGREEMENT_EVERY == 0:
            agreement = self._compare(step)
        return bitext.partner, agreement

    def _labels_itself(self, step: Step) -> bool:
        late = self.cfg.links_until > 0 and step.update >= self.cfg.links_until
        # A head that has switched over in an earlier run is asked only where this run switches by agreement too.
        return late or (self.cfg.links_agreement > 0 and step.head.switched)

    def _own(self, step: Step) -> Tensor:
        bitext = step.bitext
        hidden = step.encoder.states(bitext.input(), labelling=True).layer(self.label_layer)
        if isinstance(self.method, Dustbin):
            links, _ = self.method(hidden, bitext.spans, sizes=bitext.longest)
            return partners(links, bitext.spans, hidden.shape[1]).long()
        measure = step.head.pointer.similarity if self.cfg.label_by == "pointer" else pair_similarity
        return self_label(hidden, bitext.spans, self.method, measure=measure, sizes=bitext.longest).long()

    def _compare(self, step: Step) -> tuple[Tensor, Tensor]:
        """F1 of own labels against given ones, over all workers; remember it and switch over when it is reached."""
        head: DwaHead = step.head
        given = step.bitext.partner
        own = self._own(step).masked_fill(~step.bitext.has_links[:, None], -1)
        sums = torch.stack([((own == given) & (given >= 0)).sum() * 2, (own >= 0).sum() + (given >= 0).sum()]).double()
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.all_reduce(sums)
        before, now = head.agreement, (sums[0] / sums[1].clamp(min=1)).to(head.agreement)
        after = torch.where(before > 0, 0.8 * before + 0.2 * now, now)
        head.agreement.copy_(torch.where(sums[1] > 0, after, before))
        # The one look of the host at the device: it has to know whether it is to run the pass that labels.
        if 0 < self.cfg.links_agreement <= float(head.agreement):
            head.switch()
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
