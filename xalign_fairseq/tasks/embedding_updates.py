"""``--embedding-updates``: whether an update changes only the token embeddings of its batch."""

import logging
from collections.abc import Sequence
from typing import Any

from xalign_fairseq.core.devices import training_device
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.objectives.registry import choice

logger = logging.getLogger(__name__)
CHOICES = ("dense", "lazy", "auto")


def update_rows_alone(model: Any, task: Any, with_all: Sequence[str]) -> None:
    """Give the token embeddings sparse gradients if the options allow it and it is possible.

    ``with_all``: the objectives whose gradient has all rows of the embeddings, since they predict tokens with the tied
    output layer, or their loss depends on parameters.
    """
    embeddings = model.encoder.sentence_encoder.embed_tokens
    option = choice(task.cfg.embedding_updates, CHOICES, "embedding_updates")
    if option == "dense" or not embeddings.weight.requires_grad:
        return
    reason = _obstacle(task, with_all)
    if reason and option == "lazy":
        problem = "the embeddings of a batch's tokens cannot be updated alone"
        raise XalignError(problem, where=(Parameter("embedding_updates", "lazy"),), found=reason)
    if not reason and option == "auto" and training_device(task.cfg.cpu).type == "cuda":
        reason = "a GPU updates all of them just as fast"
    embeddings.sparse = not reason
    updated = f"all are updated ({reason})" if reason else "only those of a batch are updated"
    logger.info("token embeddings: %s", updated)


def _obstacle(task: Any, with_all: Sequence[str]) -> str | None:
    """Why sparse gradients are not possible."""
    if with_all:
        return f"the gradient of {', '.join(with_all)} has every row"
    if task.cfg.optimizer != "xalign_adamw":
        return f"the optimizer {task.cfg.optimizer} does not support sparse gradients; xalign_adamw does"
    if task.has_master_weights:
        return "fp16 and bf16 copy whole gradients; their memory-efficient forms do not"
    if task.cfg.distributed_world_size > 1:
        return "several processes add up whole gradients"
    return None
