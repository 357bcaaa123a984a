"""The masked-language-model head of a checkpoint, and a new one if it has none that fits."""

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
PARTS = ("dense.weight", "dense.bias", "layer_norm.weight", "layer_norm.bias", "bias")  # next to the tied weight
LIFT = 4.0  # gelu(x + 4) is x + 4 but for 0.004 at x = -1, 0.05 at x = -2 and 0.16 at x = -3


def has_head(weights: Mapping[str, Tensor]) -> bool:
    """Whether there is a head among a checkpoint's tensors, by today's names."""
    return any(name.startswith(HEAD) for name in weights)


def usable(weights: Mapping[str, Tensor], where: StrPath = "checkpoint") -> dict[str, Tensor]:
    """The tensors without a head that is incomplete or not tied to the embeddings; links and states need no head.

    What is left out is logged.
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
    """Whether a tensor under a second name equals the first, or is missing."""
    if second is None or first is None:
        return True
    return second.shape == first.shape and (second.data_ptr() == first.data_ptr() or torch.equal(second, first))


def new_head(embeddings: Tensor, scores: Sequence[float] | None = None) -> dict[str, Tensor]:
    """The state of a head that is made from embeddings (V, H): it predicts the pieces that states are closest to.

    logits = E LN(h) + b: the dense map is the identity plus an offset, so that gelu is linear; the layer norm removes
    the offset. b has the pieces' log-probabilities, if they are known. For the packaged e5-small, whose states were not
    trained for that, the loss of masked tokens of five languages is then 10.1 nats, and 7.6 after 60 updates of 8
    sentences at 5e-5; without log-probabilities 10.7 and 7.8; from a random head as BERT's initialisation draws it 11.6
    and 8.7 (scripts/results/new-heads.json).

    Args:
        embeddings: of tokens, the head's output vectors too.
        scores: log-probabilities in a unigram model of all between the first four ids and ``<mask>``, the last; these,
            which are not text, have the lowest.
    """
    rows, dim = embeddings.shape
    bias = torch.zeros(rows)
    if scores is not None:
        bias[:] = min(scores)
        bias[len(SPECIALS) : -1] = torch.tensor(scores)
    return {
        "weight": embeddings,
        "bias": bias,
        "dense.weight": torch.eye(dim),
        "dense.bias": torch.full((dim,), LIFT),
        "layer_norm.weight": torch.ones(dim),
        "layer_norm.bias": torch.zeros(dim),
    }


# old name -> today's name, applied in this order
RENAMES = (
    (r"^decoder\.", "encoder."),
    (r"\.sentence_encoder\.emb_layer_norm\.", ".sentence_encoder.layernorm_embedding."),
)
# Buffers that fairseq once stored and that carry no weights.
CARRY_NOTHING = re.compile(r"(^|\.)(version|_float_tensor|_linear\.bias_k)$")


def today(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the keys of a fairseq RoBERTa or XLM-R state dict and split the joint ``in_proj`` of old releases."""
    renamed: dict[str, Tensor] = {}
    for key, value in state.items():
        if key.startswith("heads."):  # this package's own
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
