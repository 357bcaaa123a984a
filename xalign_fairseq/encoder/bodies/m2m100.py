"""The encoder of M2M-100 and NLLB: norms before the maps, and sines of the places added to the embeddings."""

import math
from typing import TypedDict

import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.encoder.bodies.attention import Surroundings
from xalign_fairseq.encoder.bodies.family import BodyFamily, Theirs


class M2M100Settings(TypedDict, total=False):
    """The fields of ``config.json`` that are read; none of the decoder."""

    d_model: int
    encoder_layers: int
    encoder_ffn_dim: int
    encoder_attention_heads: int
    max_position_embeddings: int
    activation_function: str
    scale_embedding: bool
    dropout: float
    attention_dropout: float
    activation_dropout: float


class M2M100(BodyFamily):
    """The encoder of M2M-100 (Fan et al. 2021) and NLLB (NLLB team 2022), without the decoder and without LayerDrop."""

    model_type = "m2m_100"
    title = "the encoder of M2M-100 and NLLB"
    form = M2M100Settings
    sizes = {  # noqa: RUF012
        "encoder_layers": "encoder_layers",
        "encoder_embed_dim": "d_model",
        "encoder_ffn_embed_dim": "encoder_ffn_dim",
        "encoder_attention_heads": "encoder_attention_heads",
    }
    rates = {  # noqa: RUF012
        "dropout": ("dropout",),
        "attention_dropout": ("attention_dropout",),
        "activation_dropout": ("activation_dropout",),
    }
    embeddings = "embed_tokens"
    norm = "layer_norm"

    def build(self, theirs: Theirs) -> nn.Module:
        from transformers.models.m2m_100.modeling_m2m_100 import M2M100Encoder

        return M2M100Encoder(theirs)

    def embed(self, rest: Theirs, vectors: Tensor, positions: Tensor) -> Tensor:
        """Embeddings, scaled, with the sines of their places; the table has a row of padding before the first."""
        scale = math.sqrt(rest.config.d_model) if rest.config.scale_embedding else 1.0
        places = rest.embed_positions.weights[positions + rest.embed_positions.padding_idx]
        return F.dropout(vectors * scale + places.to(vectors.dtype), rest.dropout, rest.training)

    def run(self, layer: Theirs, x: Tensor, around: Surroundings, shared: Theirs) -> Tensor:
        made: Tensor = layer(x, around)
        return made
