"""mGTE: BERT's order of maps and norms, with gated maps and rotary positions."""

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor, nn

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.bodies.attention import Surroundings
from xalign_fairseq.encoder.bodies.family import BertSettings, BodyFamily, Theirs

# Names in files -> names in transformers' model; maps that are one tensor in files are of several names.
RENAMED = {
    "encoder.layer.": "layers.",
    ".attn_ln.": ".post_attention_layernorm.",
    ".mlp_ln.": ".post_mlp_layernorm.",
    ".attention.": ".self_attn.",
}
JOINED = {"qkv_proj": ("q_proj", "k_proj", "v_proj"), "up_gate_proj": ("up_proj", "gate_proj")}


class GteSettings(BertSettings, total=False):
    """The fields of ``config.json`` that are read."""

    rope_parameters: dict[str, Any]


class Gte(BodyFamily):
    """mGTE (Zhang et al. 2024), by transformers' own classes."""

    model_type = "gte"
    title = "mGTE"
    form: ClassVar[type] = GteSettings
    eps = "layer_norm_eps"
    embeddings = "embeddings.word_embeddings"
    head = {  # noqa: RUF012
        "dense.weight": "lm_head.dense.weight",
        "dense.bias": "lm_head.dense.bias",
        "layer_norm.weight": "lm_head.norm.weight",
        "layer_norm.bias": "lm_head.norm.bias",
        "bias": "lm_head.decoder.bias",
    }
    output = "lm_head.decoder"

    def rename(self, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Files have the names of the authors' code, with maps joined; transformers renames and splits them, too."""
        made = {}
        for name, value in weights.items():
            for old, new in RENAMED.items():
                name = name.replace(old, new)
            joined = next((old for old in JOINED if f".{old}." in name), None)
            if joined is None:
                made[name] = value
            else:
                parts = value.chunk(len(JOINED[joined]))
                made |= {name.replace(joined, new): part for new, part in zip(JOINED[joined], parts, strict=True)}
        return made

    def build(self, theirs: Theirs) -> nn.Module:
        from transformers import GteModel

        return GteModel(theirs)

    def embed(self, rest: Theirs, vectors: Tensor, positions: Tensor) -> Tensor:
        """Normed embeddings, all of type 0; positions are in the layers."""
        made: Tensor = rest.embeddings(inputs_embeds=vectors)
        return made

    def share(self, rest: Theirs, first: Theirs, x: Tensor, around: Surroundings) -> Theirs:
        return rest.rotary_emb(x, (around.positions - 1).clamp_min(0))


class NewSettings(GteSettings, total=False):
    """The fields that are read of the ``config.json`` of the authors' own code."""

    rope_theta: float
    rope_scaling: dict[str, Any]


class New(Gte):
    """mGTE as its authors published it, with code of their own (model_type ``new``) that is not run."""

    model_type = "new"
    title = "gte-multilingual"
    form: ClassVar[type] = NewSettings
    fixed = {  # noqa: RUF012
        "position_embedding_type": "rope",
        "layer_norm_type": "layer_norm",
        "pack_qkv": True,
        "logn_attention_scale": False,
    }

    def check(self, found: Mapping[str, Any], where: object) -> dict[str, Any]:
        """The settings, with the rotary positions in transformers' terms.

        Theirs of type ``ntk`` and a factor f have theta f and, for heads of d, frequencies that are divided by
        f^(2 / d) besides.
        """
        settings = super().check(found, where)
        theta, scaling = float(settings.pop("rope_theta", 10000.0)), settings.pop("rope_scaling", None)
        rope: dict[str, Any] = {"rope_type": "default", "rope_theta": theta}
        if scaling is not None:
            factor = scaling.get("factor")
            known = scaling.get("type") == "ntk" and scaling.get("mixed_b") is None
            if not known or not isinstance(factor, int | float) or factor < 1:
                problem, expected = (
                    "the model scales its positions in an unknown way",
                    '{"type": "ntk", "factor": 1 or more}',
                )
                raise XalignError(problem, where=where, found=f"rope_scaling {scaling}", expected=expected)
            per_head = settings["hidden_size"] // settings["num_attention_heads"]
            rope = {"rope_type": "linear", "rope_theta": theta * factor, "factor": factor ** (2 / per_head)}
        kept = {name: value for name, value in settings.items() if name in GteSettings.__annotations__}
        return {**kept, "rope_parameters": rope, "model_type": Gte.model_type}

    def their_config(self, settings: Mapping[str, Any], where: object) -> Theirs:
        """That of :class:`Gte`, whose settings they have become."""
        return Gte().their_config(settings, where)
