"""Parameter names of RoBERTa and XLM-R checkpoints of any fairseq version, converted to today's."""

import re

from torch import Tensor

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
