"""Sentence-level alignment by momentum contrast (PPA, Pan et al. 2021)."""

import logging
import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.core.errors import Parameter
from xalign_fairseq.data.batches import Batch
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.copies import KeyQueue, MomentumEncoder, Projection, sentence_hash
from xalign_fairseq.encoder.sentence_vectors import pool
from xalign_fairseq.objectives.gathering import all_gather_rows, gather_sizes
from xalign_fairseq.objectives.prediction import true_first
from xalign_fairseq.objectives.registry import Loss, Objective, Traits, option, register_objective
from xalign_fairseq.objectives.step import Step, declared
from xalign_fairseq.transport.names import SENTENCE_POOLINGS
from xalign_fairseq.transport.precision import at_least_float32

logger = logging.getLogger(__name__)


class MocoHead(nn.Module):
    """The projection, the momentum encoder with its projection, and the queue, filled at random if there is a seed."""

    def __init__(self, config: EncoderConfig, dim: int, size: int, seed: int | None):
        super().__init__()
        self.projection = Projection(config.encoder_embed_dim, dim)
        self.momentum_encoder = MomentumEncoder(config, dim)
        self.queue = KeyQueue(size, dim)
        self._seed = seed
        self._begin_queue()

    def _begin_queue(self) -> None:
        if self._seed is None:
            self.queue.clear()
        else:
            self.queue.fill_at_random(self._seed)

    def move(self, live: nn.Module, update: int, momentum: float) -> None:
        """Update the momentum encoder, and remove keys from an earlier run's momentum encoder."""
        if self.momentum_encoder.starts_again(update):
            self._begin_queue()
        self.momentum_encoder.follow(live, self.projection, update, momentum)


def soon_full(pairs: int, batch: float) -> int:
    """The size of a queue that is full after a tenth of a run with this number of pairs; at least one batch."""
    return max(pairs // 10, math.ceil(batch))


def info_nce(
    query: Tensor, key: Tensor, negatives: Tensor, masked: Tensor, temperature: float
) -> tuple[Tensor, Tensor]:
    """-log exp(q.k+ / t) / (exp(q.k+ / t) + sum_k exp(q.k / t)), the standard reading of PPA's Eq. 3.

    The paper's denominator sums over the K keys of the queue; here, as in MoCo, it includes the positive.

    Args:
        query, key: (B, D); row i of ``key`` is the positive of row i of ``query``.
        negatives: (K, D).
        masked: (B, K) bool, negatives to ignore for a query.
        temperature: t.

    Returns:
        the loss of each query (B,) in nats, and whether its positive is ranked before all its negatives (B,).
    """
    with torch.autocast(query.device.type, enabled=False):
        positive = (query * key).sum(1, keepdim=True) / temperature
        negative = (query @ negatives.T / temperature).masked_fill(masked, -math.inf)
    loss = torch.cat([positive, negative], 1).logsumexp(1) - positive[:, 0]
    return loss, positive.detach()[:, 0] > negative.detach().amax(1)


@register_objective("moco")
@dataclass
class MoCo(Objective):
    """L_MoCo, PPA's Eq. 2 and 3: distinguish a sentence's translation from other sentences by its key.

    The source side is the query, encoded with gradient; the target side is the key, encoded by the momentum encoder.
    Both are unmasked. Training draws each pair in both directions, so each language is the query in half of the
    examples (the paper shuffles at random). TLM reads the same pairs.

    Keys enter the queue after the loss, from all workers in the order of ranks. A pair with an empty side has no loss
    and no key. A worker without a batch repeats an earlier batch, which adds no keys. Validation changes neither the
    momentum encoder nor the queue.
    """

    traits = Traits(
        needs=("bitext",), stats=("accuracy", "masked_negatives", "queue_fill"), counts_ahead=True, contrasts=True
    )

    pooling: str = option("cls", "cls (state of <s>) or mean (of all tokens, with <s> and </s>)")
    normalize: str = option(
        "both",
        "L2-normalise both (hidden state and projection, as MoCo) or hidden (only the hidden state, as the paper says)",
    )
    projection_dim: int = option(300, "size of the projection")
    temperature: float = option(0.05, "temperature of InfoNCE")
    queue_size: int = option(32000, "keys in the queue")
    queue_init: str = option(
        "data",
        "data (no loss until the queue is full of real keys) or random (the paper: random unit vectors, "
        "used from the start)",
    )
    keep_duplicates: bool = option(
        False, "keep the query's own sentence and its translations as negatives, as the paper does"
    )
    momentum: float = option(0.999, "momentum of the key encoder")

    def __post_init__(self) -> None:
        self.require_choices(pooling=SENTENCE_POOLINGS, normalize=("both", "hidden"), queue_init=("data", "random"))
        self.require_values(
            temperature=(self.temperature > 0, "more than 0"),
            queue_size=(self.queue_size > 0, "at least one key"),
            projection_dim=(self.projection_dim > 0, "at least 1"),
            momentum=(0 <= self.momentum <= 1, "0 to 1"),
        )

    def check_run(self, updates: int, pairs: float) -> None:
        """Log the update at which the queue is full; warn if that is not before the last update."""
        size, had = self.queue_size, int((updates - 1) * pairs)
        if self.queue_init == "data" and had >= size:
            logger.info(
                "moco learns from update %s of %s on; until then its queue fills with %s keys, about %.0f per update",
                f"{math.ceil(size / pairs) + 1:,}",
                f"{updates:,}",
                f"{size:,}",
                pairs,
            )
        elif self.queue_init == "data":
            logger.warning(
                "moco learns nothing in this run: its loss is 0 until the queue has %s keys, but before the last "
                "of %s updates of %.0f pairs it has only %s; set %s, or %s",
                f"{size:,}",
                f"{updates:,}",
                pairs,
                f"{had:,}",
                Parameter("moco_queue_size", soon_full(had, pairs)),
                Parameter("moco_queue_init", "random"),
            )

    def build_head(self) -> nn.Module:
        """The projection, the momentum encoder and the queue."""
        seed = self.context.seed if self.queue_init == "random" else None
        return MocoHead(self.context.config, self.projection_dim, self.queue_size, seed)

    def count(self, batch: Batch) -> int:
        """Pairs with tokens on both sides; they have a loss once the queue is full."""
        return declared(batch.bitext, "bitext").complete

    def reads(self, step: Step) -> Iterable[tuple[Input, int]]:
        return [(step.bitext.side_input(0), -1)]

    def forward(self, step: Step) -> Loss:
        bitext = step.bitext
        head: MocoHead = step.head
        pairs = 0 if step.batch.stands_in else bitext.complete  # a repeated batch adds no keys
        sizes = gather_sizes(pairs, bitext.tokens.device) if step.training else []
        sides = [bitext.side_input(side) for side in (0, 1)]
        hidden = step.encoder.states(sides[0]).layer(-1)
        query = self._represent(hidden, sides[0].tokens, head.projection)
        if step.training:
            head.move(step.encoder.sentence_encoder, step.update, self.momentum)
        key = self._key(head.momentum_encoder, sides[1], hidden.dtype)
        own, positive = (sentence_hash(side.tokens) for side in sides)
        masked = self._masked(head.queue, own, positive)
        # A copy: the queue changes before the gradient is computed.
        losses, first = info_nce(query, key, head.queue.keys.clone(), masked, self.temperature)

        spans = bitext.spans
        complete = (spans[:, 1] > spans[:, 0]) & (spans[:, 3] > spans[:, 2])
        # Until the queue is full, the loss is zero, with a zero gradient because distributed wrappers wait for one. In
        # validation it is that of chance: with zero, the first checkpoint would be the best.
        ready = head.queue.full & head.momentum_encoder.started
        if not step.training:
            losses, first = torch.where(ready, losses, math.log(1 + len(head.queue))), first & ready
        counted = complete & (ready | (not step.training))
        count, size = counted.sum(), len(head.queue)
        stats = {
            "accuracy": ((first & counted).sum(), count),
            "masked_negatives": ((masked & counted[:, None]).sum(), count * size),
            "queue_fill": (head.queue.filled.clone(), torch.full_like(head.queue.filled, size)),
        }
        if step.training:
            rows = torch.cat([key, positive.to(key), own.to(key)], 1).index_select(0, true_first(complete, pairs))
            rows = all_gather_rows(rows, sizes)
            head.queue.enqueue(rows[:, :-4], rows[:, -4:-2], rows[:, -2:])
        return Loss(losses.masked_fill(~counted, 0.0).sum(), count, stats)

    @torch.no_grad()
    def _key(self, momentum_encoder: MomentumEncoder, side: Input, dtype: torch.dtype) -> Tensor:
        hidden = momentum_encoder.encoder.layer(side, -1, dtype)
        return self._represent(hidden, side.tokens, momentum_encoder.projection)

    def _represent(self, hidden: Tensor, tokens: Tensor, projection: Projection) -> Tensor:
        """Sentence vectors (B, D), at least float32, from hidden states (B, L, H) and tokens (B, L)."""
        pooled = pool(hidden, tokens.ne(PAD), self.pooling)
        projected = at_least_float32(projection(F.normalize(pooled, dim=1)))
        return F.normalize(projected, dim=1) if self.normalize == "both" else projected

    def _masked(self, queue: KeyQueue, own: Tensor, positive: Tensor) -> Tensor:
        """(B, K) bool, keys that are not negatives: of either sentence (maybe in many pairs) or its translations."""
        if self.keep_duplicates:
            return torch.zeros(len(own), len(queue), dtype=torch.bool, device=own.device)
        return queue.holds(own) | queue.holds(positive)
