"""The masked-language-model head of a checkpoint, or a new one if none fits."""

import logging
import re
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.tokenizers.dictionary import SPECIALS

logger = logging.getLogger(__name__)

EMBEDDINGS = "encoder.sentence_encoder.embed_tokens.weight"
HEAD = "encoder.lm_head."
PARTS = ("dense.weight", "dense.bias", "layer_norm.weight", "layer_norm.bias", "bias")  # parts besides the tied weight
LIFT = 4.0  # gelu(x + 4) differs from x + 4 by 0.004 at x = -1, 0.05 at x = -2 and 0.16 at x = -3


def has_head(weights: Mapping[str, Tensor]) -> bool:
    """Whether a checkpoint's tensors (current names) include a head."""
    return any(name.startswith(HEAD) for name in weights)


def usable(weights: Mapping[str, Tensor], where: StrPath = "checkpoint") -> dict[str, Tensor]:
    """Remove an incomplete or untied head from the tensors (logged); links and states need no head."""
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
    """Whether a tensor under a second name equals the first, or is missing."""
    if second is None or first is None:
        return True
    return second.shape == first.shape and (second.data_ptr() == first.data_ptr() or torch.equal(second, first))


def new_head(embeddings: Tensor, scores: Sequence[float] | None = None) -> dict[str, Tensor]:
    """The tensors of a head made from embeddings (V, H), which predicts the pieces closest to the states.

    logits = E LN(h) + b: the dense map is the identity plus an offset, so that gelu is linear; the layer norm removes
    the offset. b has the pieces' log-probabilities, if known. For the packaged e5-small, which was not trained to
    predict tokens, the loss on masked tokens of five languages is 10.1 nats, and 7.6 after 60 updates of 8 sentences at
    5e-5. Without log-probabilities it is 10.7 and 7.8, with a random head by BERT's initialisation 11.6 and 8.7
    (scripts/results/new-heads.json). ``scores`` are log-probabilities of all ids except the first four and ``<mask>``,
    the last; these five get the lowest value.
    """
    rows, dim = embeddings.shape
    bias = torch.zeros(rows)
    if scores is not None:
        bias[:] = min(scores)
        bias[len(SPECIALS) : -1] = torch.tensor(scores)
    return {
        f"{HEAD}weight": embeddings,
        f"{HEAD}bias": bias,
        f"{HEAD}dense.weight": torch.eye(dim),
        f"{HEAD}dense.bias": torch.full((dim,), LIFT),
        f"{HEAD}layer_norm.weight": torch.ones(dim),
        f"{HEAD}layer_norm.bias": torch.zeros(dim),
    }


# old name -> current name, applied in this order
RENAMES = (
    (r"^decoder\.", "encoder."),
    (r"\.sentence_encoder\.emb_layer_norm\.", ".sentence_encoder.layernorm_embedding."),
)
# Buffers without weights that old fairseq releases stored.
CARRY_NOTHING = re.compile(r"(^|\.)(version|_float_tensor|_linear\.bias_k)$")


def today(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the keys of a fairseq RoBERTa or XLM-R state dict and split the joint ``in_proj`` of old releases."""
    renamed: dict[str, Tensor] = {}
    for key, value in state.items():
        if key.startswith("heads."):  # heads of this package
            renamed[key] = value
            continue
        if CARRY_NOTHING.search(key):
            continue
        for old, new in RENAMES:
            key = re.sub(old, new, key)
        joint = re.fullmatch(r"(.*\.self_attn)\.in_proj_(weight|bias)", key)
        if joint:
            for name, part in zip("qkv", value.chunk(3), strict=True):
                renamed[f"{joint[1]}.{name}_proj.{joint[2]}"] = part
        else:
            renamed[key] = value
    return renamed
