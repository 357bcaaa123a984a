"""EuroBERT: RMSNorm before the maps, gated maps, rotary positions, and keys and values that several heads share."""

from typing import Any, TypedDict

from torch import Tensor, nn

from xalign_fairseq.encoder.bodies.family import BodyFamily
from xalign_fairseq.encoder.bodies.surroundings import Surroundings


class EuroBertSettings(TypedDict, total=False):
    """What of ``config.json`` is read."""

    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    max_position_embeddings: int
    hidden_act: str
    rms_norm_eps: float
    attention_bias: bool
    mlp_bias: bool
    attention_dropout: float
    rope_parameters: dict[str, Any]
    rope_theta: float
    rope_scaling: dict[str, Any]


class EuroBert(BodyFamily):
    """EuroBERT (Boizard et al. 2025), by transformers' own classes: the code in its folders on the hub is not run."""

    model_type = "eurobert"
    title = "EuroBERT"
    form = EuroBertSettings
    required = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
    sizes = {  # noqa: RUF012
        "encoder_layers": "num_hidden_layers",
        "encoder_embed_dim": "hidden_size",
        "encoder_ffn_embed_dim": "intermediate_size",
        "encoder_attention_heads": "num_attention_heads",
    }
    rates = {"attention_dropout": ("attention_dropout",)}  # noqa: RUF012
    eps = "rms_norm_eps"
    embeddings = "embed_tokens"
    norm = "norm"

    def build(self, theirs: Any) -> nn.Module:
        """The model."""
        from transformers import EuroBertModel

        return EuroBertModel(theirs)

    def embed(self, rest: Any, vectors: Tensor, positions: Tensor) -> Tensor:
        """The embeddings themselves; positions are in the layers."""
        return vectors

    def share(self, rest: Any, first: Any, x: Tensor, around: Surroundings) -> Any:
        """Cosines and sines of the places."""
        return rest.rotary_emb(x, position_ids=(around.positions - 1).clamp_min(0))

    def run(self, layer: Any, x: Tensor, around: Surroundings, shared: Any) -> Tensor:
        """One layer."""
        return layer(x, attention_mask=around, position_embeddings=shared)
