"""Masked words predicted from the other language's hidden states (WEAM, Yang et al. 2021)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.data.batches import Batch
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.data.word_tables import SUBWORD_RULES
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import initialise
from xalign_fairseq.objectives.prediction import IGNORED, summed, true_first
from xalign_fairseq.objectives.registry import Loss, Objective, RunContext, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.transport.plan_links import Transport
from xalign_fairseq.transport.precision import at_least_float32
from xalign_fairseq.transport.similarity import side_positions

MANY = ("sum", "mean")


def exchange(hidden: Tensor, links: Tensor, spans: Tensor, wanted: Tensor, many: str = "sum") -> tuple[Tensor, Tensor]:
    r"""Rows of :math:`H' = A^\top H` (Eq. 5): for each wanted token, the hidden states of its partners.

    A is 0/1 and symmetric, A(i, j) = A(j, i) = 1 for each link (i, j) of the pair sequence. The blocks of source and
    target tokens are multiplied in float32 at least.

    Args:
        hidden: (B, T, H), any floating dtype.
        links: (B, n, m) bool; tokens count from the start of their side.
        spans: (B, 4) int64, [src start, src end, tgt start, tgt end).
        wanted: (N,) int64, positions in the flattened (B * T,).
        many: "sum" (Eq. 5 as printed) or "mean" of several partners.

    Returns:
        (N, H) in the dtype of ``hidden``, zero for a token without a partner; and each token's number of partners, (N,)
        int64.
    """
    if many not in MANY:
        raise ValueError(f"many is one of {', '.join(MANY)}, not {many}")
    states = at_least_float32(hidden)
    sums = []
    with torch.autocast(hidden.device.type, enabled=False):
        for side, matrix in enumerate((links, links.transpose(1, 2))):
            others, _ = side_positions(spans, 1 - side, matrix.shape[2])
            given = states.gather(1, others[:, :, None].expand(-1, -1, states.shape[2]))
            sums.append(torch.bmm(matrix.to(states.dtype), given))
    exchanged = _rows(sums, spans, wanted, hidden.shape[1])
    partners = partner_counts(links, spans, wanted, hidden.shape[1])
    if many == "mean":
        exchanged = exchanged / partners.clamp(min=1)[:, None]
    return exchanged.to(hidden.dtype), partners


def partner_counts(links: Tensor, spans: Tensor, wanted: Tensor, length: int) -> Tensor:
    """The number of partners (N,) int64 of wanted tokens; arguments as in :func:`exchange`, ``length`` is T."""
    return _rows([links.sum(2)[:, :, None], links.sum(1)[:, :, None]], spans, wanted, length)[:, 0]


def _rows(sides: list[Tensor], spans: Tensor, wanted: Tensor, length: int) -> Tensor:
    """Rows (N, H) of wanted tokens from rows of both sides' tokens (B, n or m, H); 0 for tokens on neither side."""
    (n, m), none = (side.shape[1] for side in sides), sides[0].new_zeros(len(spans), 1, sides[0].shape[2])
    pair, column = wanted // length, wanted % length
    start, end, tgt_start, tgt_end = spans[pair].unbind(1)
    place = torch.where((column >= tgt_start) & (column < tgt_end), n + column - tgt_start, n + m)
    place = torch.where((column >= start) & (column < end), column - start, place)
    return torch.cat([*sides, none], 1).flatten(0, 1).index_select(0, pair * (n + m + 1) + place)


class WordExchangeHead(nn.Module):
    """W2 of Eq. 6 and, unless the MLM head is shared, W3 of Eq. 7 with a layer norm for the paper's ``linear``.

    The paper does not specify initial values. W2 starts as the identity, so training begins with the plain exchange. A
    random W2 would feed noise to a trained MLM head; before a random W3 it would only shrink the states. W3 starts like
    an MLM head, at N(0, 0.02), or with ``copies`` from the encoder's MLM head, like TLM's.
    """

    def __init__(self, config: EncoderConfig, separate: bool, copies: bool = False):
        super().__init__()
        self.copies = copies
        dim = config.encoder_embed_dim
        self.exchanged = nn.Linear(dim, dim)
        if separate:
            self.dense = nn.Linear(dim, dim)
            self.layer_norm = nn.LayerNorm(dim, eps=config.layer_norm_eps)
        self.apply(initialise)
        nn.init.eye_(self.exchanged.weight)

    def begin_from(self, lm_head: nn.Module) -> None:
        """Copy W3 and the layer norm from the encoder's MLM head, if requested."""
        if self.copies:
            for mine, theirs in ((self.dense, lm_head.dense), (self.layer_norm, lm_head.layer_norm)):
                mine.load_state_dict(theirs.state_dict())  # type: ignore[union-attr]

    def features(self, exchanged: Tensor) -> Tensor:
        """The states (N, H) that a separate head compares with the tied embeddings."""
        features: Tensor = self.layer_norm(F.gelu(self.dense(self.exchanged(exchanged))))
        return features


@register_objective("word_exchange")
@dataclass
class WordExchange(Objective):
    """L_cp = - sum_{i in M} log p~(x_i | states of the partners of i), Eqs. 5 to 8 and 10; ``tlm`` is the paper's L_mp.

    Both sides are masked independently, so a partner may itself be masked. The pass over the perturbed pair is shared
    with TLM. The weight is the paper's lambda.
    """

    traits = Traits(needs=("bitext",), stats=("accuracy", "masked_with_partner"), reads_output_layer=True)

    links: str = option("file", "file (prepared links) or self (self-labelled on the unperturbed pair)")
    subwords: str = option(
        "all", "how a word link becomes token links: first, all or k-to-k (not specified in the paper)"
    )
    unaligned: str = option(
        "exclude",
        "masked tokens without a partner: exclude (not predicted), zero (literal Eq. 5: predicted from "
        "the bias alone) or identity (predicted from their own state)",
    )
    many: str = option("sum", "combine the states of several partners: sum (Eq. 5) or mean")
    heads: str = option("separate", "separate (its own W3, Eq. 7) or shared (the encoder's MLM head instead)")

    start: str = option(
        "new", "initial W3: new (random, as an MLM head) or mlm (a copy of the encoder's pre-trained MLM head)"
    )

    def __post_init__(self) -> None:
        self.require_choices(
            start=("new", "mlm"),
            links=("file", "self"),
            subwords=SUBWORD_RULES,
            unaligned=("exclude", "zero", "identity"),
            many=MANY,
            heads=("separate", "shared"),
        )
        self.require_values(start=(self.start == "new" or self.heads == "separate", "new, where the head is shared"))
        self.given = self.links == "file"
        self.traits = replace(
            self.traits,
            needs=("bitext", "links") if self.given else ("bitext",),
            counts_ahead=self.given or self.unaligned != "exclude",
            predicts_tokens=self.heads == "shared",
        )

    def bind(self, context: RunContext) -> None:
        super().bind(context)
        self.labels_at = context.config.default_labelling_layer()

    def build_head(self) -> nn.Module:
        """The maps after the exchange."""
        return WordExchangeHead(self.context.config, self.heads == "separate", copies=self.start == "mlm")

    def count(self, batch: Batch) -> int:
        """Masked tokens; for ``exclude``, only those with a partner; unknown for the model's own links."""
        bitext = declared(batch.bitext, "bitext")
        if self.unaligned != "exclude":
            return len(bitext.predicted)
        links = bitext.link_matrix(self.subwords)
        return int((partner_counts(links, bitext.spans, bitext.predicted, bitext.tokens.shape[1]) > 0).sum())

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        return [(step.bitext.input("masked"), -1)]

    def forward(self, step: Step) -> Loss:
        bitext, masked = step.bitext, step.bitext.predicted
        labels = bitext.targets.flatten().index_select(0, masked)
        hidden = step.encoder.states(bitext.input("masked")).layer(-1)
        exchanged, partners = exchange(hidden, self._links(step), bitext.spans, masked, self.many)
        linked = partners > 0
        if self.unaligned == "exclude":
            labels = labels.masked_fill(~linked, IGNORED)
            if self.given:  # no logits for positions that the host knows to lack a partner
                first = true_first(linked, int((bitext.host.linked & (bitext.host.targets != PAD)).sum()))
                exchanged, labels = exchanged.index_select(0, first), labels.index_select(0, first)
        elif self.unaligned == "identity":
            exchanged = torch.where(linked[:, None], exchanged, hidden.flatten(0, 1).index_select(0, masked))
        head: WordExchangeHead = step.head
        if self.heads == "shared":
            losses = step.encoder.lm_losses(head.exchanged(exchanged), labels)
        else:
            losses = step.encoder.vocabulary_losses(head.features(exchanged), labels)
        loss = summed([losses])
        loss.stats["masked_with_partner"] = (linked.sum(), partners.new_full((), len(masked)))
        return loss

    def _links(self, step: Step) -> Tensor:
        """Links (B, n, m) bool between the tokens of both sides."""
        bitext = step.bitext
        if self.given:
            return bitext.link_matrix(self.subwords)
        hidden = step.encoder.states(bitext.input(), labelling=True).layer(self.labels_at)
        return Transport().matrix(hidden, bitext.spans, sizes=bitext.longest)
