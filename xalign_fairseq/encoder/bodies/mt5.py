"""The encoder of mT5: RMSNorm before the maps, GeGLU, and positions as a bias by the distance of two tokens."""

from collections.abc import Mapping
from typing import Any, TypedDict

from torch import Tensor, nn

from xalign_fairseq.encoder.bodies.attention import Surroundings
from xalign_fairseq.encoder.bodies.family import BodyFamily, Theirs

# Distances are unlimited; mT5 was trained on sequences of this number of tokens.
TRAINED_ON = 1024


class MT5Settings(TypedDict, total=False):
    """The fields of ``config.json`` that are read; none of the decoder."""

    d_model: int
    d_kv: int
    d_ff: int
    num_layers: int
    num_heads: int
    relative_attention_num_buckets: int
    relative_attention_max_distance: int
    dropout_rate: float
    layer_norm_epsilon: float
    feed_forward_proj: str


class MT5(BodyFamily):
    """mT5's encoder (Xue et al. 2021), without its decoder."""

    model_type = "mt5"
    title = "the encoder of mT5"
    form = MT5Settings
    required = ("d_kv",)
    sizes = {  # noqa: RUF012
        "encoder_layers": "num_layers",
        "encoder_embed_dim": "d_model",
        "encoder_ffn_embed_dim": "d_ff",
        "encoder_attention_heads": "num_heads",
    }
    rates = {"dropout": ("dropout_rate",)}  # noqa: RUF012
    eps = "layer_norm_epsilon"
    embeddings = "embed_tokens"
    layers = "block"
    norm = "final_layer_norm"

    def max_positions(self, theirs: Theirs) -> int:
        """The number of positions of its training."""
        return TRAINED_ON

    def takes_positions(self, settings: Mapping[str, Any]) -> bool:
        """No: the bias is by distances."""
        return False

    def build(self, theirs: Theirs) -> nn.Module:
        from transformers.models.mt5.modeling_mt5 import MT5Stack

        theirs.use_cache = theirs.is_encoder_decoder = False
        return MT5Stack(theirs)

    def embed(self, rest: Theirs, vectors: Tensor, positions: Tensor) -> Tensor:
        """The embeddings themselves."""
        made: Tensor = rest.dropout(vectors)
        return made

    def share(self, rest: Theirs, first: Theirs, x: Tensor, around: Surroundings) -> Theirs:
        """The bias of the first layer, (1, heads, L, L), which all layers add."""
        return first.layer[0].SelfAttention.compute_bias(around.longest, around.longest, device=x.device)

    def run(self, layer: Theirs, x: Tensor, around: Surroundings, shared: Theirs) -> Tensor:
        made: Tensor = layer(x, attention_mask=around, position_bias=shared)[0]
        return made

    def finish(self, rest: Theirs, x: Tensor) -> Tensor:
        """Dropout behind the final norm."""
        made: Tensor = rest.dropout(x)
        return made
