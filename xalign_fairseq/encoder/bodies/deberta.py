"""DeBERTa-v2 and v3, mDeBERTa: norms behind the maps, and attention by contents and by relative places."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from xalign_fairseq.encoder.bodies.attention import Surroundings
from xalign_fairseq.encoder.bodies.family import BertSettings, BodyFamily, Theirs


class DebertaSettings(BertSettings, total=False):
    """The fields of ``config.json`` that are read."""

    relative_attention: bool
    max_relative_positions: int
    position_buckets: int
    norm_rel_ebd: str
    share_att_key: bool
    pos_att_type: str | list[str]
    position_biased_input: bool


class Deberta(BodyFamily):
    """DeBERTa-v2, v3 and mDeBERTa-v3 (He et al. 2021, 2023); without the convolution of v2's largest models."""

    model_type = "deberta-v2"
    title = "DeBERTa-v2, DeBERTa-v3, mDeBERTa-v3"
    form = DebertaSettings
    fixed = {"conv_kernel_size": 0}  # noqa: RUF012
    eps = "layer_norm_eps"
    embeddings = "embeddings.word_embeddings"
    layers = "encoder.layer"
    packs = False
    head = {  # noqa: RUF012
        "dense.weight": "cls.predictions.transform.dense.weight",
        "dense.bias": "cls.predictions.transform.dense.bias",
        "layer_norm.weight": "cls.predictions.transform.LayerNorm.weight",
        "layer_norm.bias": "cls.predictions.transform.LayerNorm.bias",
        "bias": "cls.predictions.bias",
    }
    output = "cls.predictions.decoder"

    def takes_positions(self, settings: Mapping[str, Any]) -> bool:
        """Embeddings with absolute positions; attention uses distances."""
        made: bool = settings.get("position_biased_input", True)
        return made

    def build(self, theirs: Theirs) -> nn.Module:
        from transformers import DebertaV2Model

        return DebertaV2Model(theirs)

    def embed(self, rest: Theirs, vectors: Tensor, positions: Tensor) -> Tensor:
        """Normed embeddings, with those of absolute places in models that have any; all tokens are of type 0."""
        made: Tensor = rest.embeddings(
            inputs_embeds=vectors, position_ids=(positions - 1).clamp_min(0), mask=positions.ne(0).to(vectors.dtype)
        )
        return made

    def share(self, rest: Theirs, first: Theirs, x: Tensor, around: Surroundings) -> Theirs:
        """The attention mask, the relative positions, and their embeddings."""
        mask = rest.encoder.get_attention_mask((~around.padding).long())
        return mask, rest.encoder.get_rel_pos(x), rest.encoder.get_rel_embedding()

    def run(self, layer: Theirs, x: Tensor, around: Surroundings, shared: Theirs) -> Tensor:
        mask, places, embeddings = shared
        made: Tensor = layer(x, mask, relative_pos=places, rel_embeddings=embeddings)[0]
        return made
