"""The masked-language-model head of a checkpoint: whether this encoder can have it, and a new one in its place."""

import logging
import os
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import LMHead, initialise

logger = logging.getLogger(__name__)

EMBEDDINGS = "encoder.sentence_encoder.embed_tokens.weight"
HEAD = "encoder.lm_head."
PARTS = ("dense.weight", "dense.bias", "layer_norm.weight", "layer_norm.bias", "bias")  # beside the tied weight
SEED = 1


def has_head(weights: Mapping[str, Tensor]) -> bool:
    """Whether there is a head among a checkpoint's tensors, by today's names."""
    return any(name.startswith(HEAD) for name in weights)


def usable(weights: Mapping[str, Tensor], where: str | os.PathLike = "checkpoint") -> dict[str, Tensor]:
    """The tensors without a head that is not tied to the embeddings, or not whole; links and states need none.

    What is left out is logged.

    Args:
        weights: of a checkpoint, by today's names.
        where: for the log.
    """
    reason = ""
    if has_head(weights):
        missing = [part for part in PARTS if HEAD + part not in weights]
        if missing:
            reason = f"it lacks {', '.join(missing)}"
        elif not is_same(weights.get(HEAD + "weight"), weights.get(EMBEDDINGS)):
            reason = "it is not tied to the embeddings"
    if not reason:
        return dict(weights)
    logger.warning("%s: the masked-language-model head is left out: %s", where, reason)
    return {name: value for name, value in weights.items() if not name.startswith(HEAD)}


def is_same(second: Tensor | None, first: Tensor | None) -> bool:
    """Whether a tensor by a second name is that of the first, or is not there."""
    if second is None or first is None:
        return True
    return second.shape == first.shape and (second.data_ptr() == first.data_ptr() or torch.equal(second, first))


def new_head(config: EncoderConfig, embeddings: Tensor) -> dict[str, Tensor]:
    """The state of a head on embeddings (V, H), initialised; every time the same.

    Example::

        new_head(encoder.config, encoder.sentence_encoder.embed_tokens.weight)["dense.weight"]  # (H, H)
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return LMHead(config, nn.Embedding.from_pretrained(embeddings)).apply(initialise).state_dict()
