"""ModernBERT and mmBERT: norms before the maps, GeGLU, rotary positions, two of three layers see near tokens."""

from typing import Any

from torch import Tensor, nn

from xalign_fairseq.encoder.bodies.attention import Surroundings
from xalign_fairseq.encoder.bodies.family import BertSizes, BodyFamily, Theirs


class ModernBertSettings(BertSizes, total=False):
    """The fields of ``config.json`` that are read, also of old releases."""

    hidden_activation: str
    norm_eps: float
    norm_bias: bool
    attention_bias: bool
    mlp_bias: bool
    attention_dropout: float
    embedding_dropout: float
    mlp_dropout: float
    layer_types: list[str]
    rope_parameters: dict[str, dict[str, Any]]
    local_attention: int
    global_attn_every_n_layers: int
    global_rope_theta: float
    local_rope_theta: float


class ModernBert(BodyFamily):
    """ModernBERT (Warner et al. 2024) and mmBERT (Marone et al. 2025)."""

    model_type = "modernbert"
    title = "ModernBERT, mmBERT"
    form = ModernBertSettings
    fixed = {"position_embedding_type": "absolute"}  # noqa: RUF012
    rates = {  # noqa: RUF012
        "dropout": ("embedding_dropout",),
        "attention_dropout": ("attention_dropout",),
        "activation_dropout": ("mlp_dropout",),
    }
    eps = "norm_eps"
    embeddings = "embeddings.tok_embeddings"
    norm = "final_norm"
    head = {  # noqa: RUF012
        "dense.weight": "head.dense.weight",
        "dense.bias": "head.dense.bias",
        "layer_norm.weight": "head.norm.weight",
        "layer_norm.bias": "head.norm.bias",
        "bias": "decoder.bias",
    }
    head_activation = "classifier_activation"
    output = "decoder"

    def build(self, theirs: Theirs) -> nn.Module:
        from transformers import ModernBertModel

        return ModernBertModel(theirs)

    def embed(self, rest: Theirs, vectors: Tensor, positions: Tensor) -> Tensor:
        """Normed embeddings; positions are in the layers."""
        made: Tensor = rest.embeddings(inputs_embeds=vectors)
        return made

    def share(self, rest: Theirs, first: Theirs, x: Tensor, around: Surroundings) -> Theirs:
        """Cosines and sines of the places, for layers of either kind."""
        places = (around.positions - 1).clamp_min(0)
        return {kind: rest.rotary_emb(x, places, kind) for kind in set(rest.config.layer_types)}

    def run(self, layer: Theirs, x: Tensor, around: Surroundings, shared: Theirs) -> Tensor:
        made: Tensor = layer(x, attention_mask=around, position_embeddings=shared[layer.attention_type])
        return made
