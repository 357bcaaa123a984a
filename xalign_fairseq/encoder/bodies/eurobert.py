"""EuroBERT: RMSNorm before the maps, gated maps, rotary positions, and keys and values that several heads share."""

from typing import Any

from torch import Tensor, nn

from xalign_fairseq.encoder.bodies.attention import Surroundings
from xalign_fairseq.encoder.bodies.family import BertSizes, BodyFamily, Theirs


class EuroBertSettings(BertSizes, total=False):
    """The fields of ``config.json`` that are read."""

    num_key_value_heads: int
    head_dim: int
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
    rates = {"attention_dropout": ("attention_dropout",)}  # noqa: RUF012
    eps = "rms_norm_eps"
    embeddings = "embed_tokens"
    norm = "norm"

    def build(self, theirs: Theirs) -> nn.Module:
        from transformers import EuroBertModel

        return EuroBertModel(theirs)

    def embed(self, rest: Theirs, vectors: Tensor, positions: Tensor) -> Tensor:
        """The embeddings themselves; positions are in the layers."""
        return vectors

    def share(self, rest: Theirs, first: Theirs, x: Tensor, around: Surroundings) -> Theirs:
        return rest.rotary_emb(x, position_ids=(around.positions - 1).clamp_min(0))
