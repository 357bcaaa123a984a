"""The families of encoders that transformers runs: names and settings, as data."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.json_files import parse_json, require_form
from xalign_fairseq.encoder.config import DROPOUTS, EncoderConfig

logger = logging.getLogger(__name__)
WHERE = Parameter("transformers_config")
# Modules, configurations and outputs of transformers, which are untyped.
Theirs: TypeAlias = Any
# Only the encoder is built, without token embeddings (ours use our ids), decoder layers and LayerDrop.
_ALONE = {"vocab_size": 2, "pad_token_id": 1, "encoder_layerdrop": 0.0, "decoder_layers": 0, "num_decoder_layers": 0}
_ALONE |= {f"{name}_token_id": 0 for name in ("bos", "eos", "cls", "sep", "mask", "decoder_start")}
# Settings of a config.json about files, ids and code, not about the encoder.
_NOT_KEPT = {"architectures", "auto_map", "dtype", "torch_dtype", "transformers_version", "_name_or_path", "vocab_size"}
_BERT_SIZES = {
    "encoder_embed_dim": "hidden_size",
    "encoder_ffn_embed_dim": "intermediate_size",
    "encoder_layers": "num_hidden_layers",
    "encoder_attention_heads": "num_attention_heads",
}
_BERT_RATES = {"dropout": "hidden_dropout_prob", "attention_dropout": "attention_probs_dropout_prob"}


def _head(dense: str, norm: str, bias: str) -> dict[str, str]:
    named = {"dense": dense, "layer_norm": norm}
    maps = {f"{our}.{kind}": f"{their}.{kind}" for our, their in named.items() for kind in ("weight", "bias")}
    return {**maps, "bias": bias}


def _bias_of_places(layer: Theirs, x: Tensor, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The output of an mT5 layer; the first layer computes the position bias for all layers."""
    attention = layer.layer[0].SelfAttention
    return x, attention.compute_bias(x.shape[1], x.shape[1], device=x.device) if given[1] is None else given[1], None


@dataclass(frozen=True)
class BodyFamily:
    """A family of transformers' encoders. Names are module names in ``AutoModel``'s encoder, or setting names."""

    model_type: str
    title: str
    embeddings: str  # of tokens
    layers: str = "layers"
    norm: str = ""  # after the last layer
    eps: str = ""  # setting of the layer norms' epsilon; empty: torch's default
    sizes: Mapping[str, str] = field(default_factory=lambda: _BERT_SIZES)  # our names -> their settings
    required: tuple[str, ...] = ()  # other settings that a config.json must have
    fixed: Mapping[str, Any] = field(default_factory=dict)  # settings with one value; a config.json may omit them
    rates: Mapping[str, str] = field(default_factory=lambda: _BERT_RATES)  # our names of dropouts -> their settings
    last_dropout: str = ""  # setting of the dropout after the norm
    positions: int = 0  # the longest sequence, if no setting gives it
    # A layer's output for (layer, x, arguments), if it is not x alone.
    returns: Callable[[Theirs, Tensor, tuple[Any, ...]], Any] = lambda layer, x, given: x
    head: Mapping[str, str] = field(default_factory=dict)  # parts of an LM head of our form -> their names in files
    head_activation: str = "hidden_act"
    output: str = ""  # the output layer, in files that store it besides the tied embeddings
    renamed: Mapping[str, str] = field(default_factory=dict)  # parts of names in files -> in transformers' model
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # one tensor in files -> maps in the model

    def check(self, found: Mapping[str, Any], where: object) -> dict[str, Any]:
        """Check a ``config.json``; returns the settings that describe the encoder."""
        missing = [name for name in (*self.sizes.values(), *self.required) if found.get(name) is None]
        if missing:
            raise XalignError("the model's configuration lacks settings", where=where, found=f"no {', '.join(missing)}")
        for name, value in self.fixed.items():
            if found.get(name, value) != value:
                given, expected = f"{name} {found[name]}", f"{name} {value}"
                raise XalignError(f"the model differs from {self.title}", where=where, found=given, expected=expected)
        kept = {
            name: value
            for name, value in found.items()
            if value is not None and name not in _NOT_KEPT and not name.endswith("token_id")
        }
        return _as_gte(kept, where) if self.model_type == "new" else {**kept, "model_type": self.model_type}

    def encoder_config(self, settings: Mapping[str, Any], vocab_size: int, where: object) -> EncoderConfig:
        """Our configuration from checked settings, with ``vocab_size`` ids and the model's dropout rates."""
        theirs = their_config(settings, where)
        options: dict[str, Any] = {"max_positions": self.positions or theirs.max_position_embeddings}
        options |= {ours: int(getattr(theirs, name)) for ours, name in self.sizes.items()}
        options |= {ours: float(getattr(theirs, name)) for ours, name in self.rates.items()}
        if self.eps:
            options["layer_norm_eps"] = getattr(theirs, self.eps)
        return EncoderConfig(vocab_size=vocab_size, transformers_config=json.dumps(settings, sort_keys=True), **options)

    def built(self, config: EncoderConfig, settings: Mapping[str, Any], where: object) -> nn.Module:
        """transformers' encoder for checked settings, with our dropout rates."""
        theirs = their_config(settings, where)
        for ours, name in self.sizes.items():
            mine, expected = getattr(config, ours), getattr(theirs, name)
            if mine != expected:
                problem = "the encoder's sizes are not those of transformers' configuration"
                raise XalignError(problem, where=where, found=f"{ours} {mine}", expected=expected)
        for name, value in _ALONE.items():
            setattr(theirs, name, value)
        for ours, name in self.rates.items():
            setattr(theirs, name, getattr(config, ours))
        from transformers import AutoModel
        from transformers.initialization import no_init_weights

        try:
            with no_init_weights():  # otherwise, inside Undrawn, redrawing out-of-range values never ends
                model: Theirs = AutoModel.from_config(theirs)  # type: ignore[no-untyped-call]
        except Exception as error:
            raise _refused(error, where) from None
        model = model.get_encoder() if theirs.is_encoder_decoder else model
        _draw(model)
        return model  # type: ignore[no-any-return]

    def rename(self, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """A file's tensors under their names in transformers' model."""
        made: dict[str, Tensor] = {}
        for name, value in weights.items():
            for old, new in self.renamed.items():
                name = name.replace(old, new)
            joined = next((old for old in self.joined if f".{old}." in name), name)
            parts = self.joined.get(joined, (joined,))
            made |= {
                name.replace(joined, part): each for part, each in zip(parts, value.chunk(len(parts)), strict=True)
            }
        return made


MODERNBERT = BodyFamily(
    model_type="modernbert",
    title="ModernBERT, mmBERT",
    embeddings="embeddings.tok_embeddings",
    norm="final_norm",
    eps="norm_eps",
    fixed={"position_embedding_type": "absolute"},
    rates={
        "dropout": "embedding_dropout",
        "attention_dropout": "attention_dropout",
        "activation_dropout": "mlp_dropout",
    },
    head=_head("head.dense", "head.norm", "decoder.bias"),
    head_activation="classifier_activation",
    output="decoder",
)
EUROBERT = BodyFamily(
    model_type="eurobert",
    title="EuroBERT",
    embeddings="embed_tokens",
    norm="norm",
    eps="rms_norm_eps",
    rates={"attention_dropout": "attention_dropout"},
)
MT5 = BodyFamily(
    model_type="mt5",
    title="the encoder of mT5",
    embeddings="embed_tokens",
    layers="block",
    norm="final_layer_norm",
    eps="layer_norm_epsilon",
    sizes={
        "encoder_layers": "num_layers",
        "encoder_embed_dim": "d_model",
        "encoder_ffn_embed_dim": "d_ff",
        "encoder_attention_heads": "num_heads",
    },
    required=("d_kv",),
    rates={"dropout": "dropout_rate"},
    last_dropout="dropout_rate",
    positions=1024,  # distances are unlimited; its training used sequences of this length
    returns=_bias_of_places,
)
M2M100 = BodyFamily(
    model_type="m2m_100",
    title="the encoder of M2M-100 and NLLB",
    embeddings="embed_tokens",
    norm="layer_norm",
    sizes={
        "encoder_layers": "encoder_layers",
        "encoder_embed_dim": "d_model",
        "encoder_ffn_embed_dim": "encoder_ffn_dim",
        "encoder_attention_heads": "encoder_attention_heads",
    },
    rates={name: name for name in DROPOUTS},
)
DEBERTA = BodyFamily(
    model_type="deberta-v2",
    title="DeBERTa-v2, DeBERTa-v3, mDeBERTa-v3",
    embeddings="embeddings.word_embeddings",
    layers="encoder.layer",
    eps="layer_norm_eps",
    fixed={"conv_kernel_size": 0},
    returns=lambda layer, x, given: (x, None),
    head=_head("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"),
    output="cls.predictions.decoder",
)
GTE = BodyFamily(
    model_type="gte",
    title="mGTE",
    embeddings="embeddings.word_embeddings",
    eps="layer_norm_eps",
    head=_head("lm_head.dense", "lm_head.norm", "lm_head.decoder.bias"),
    output="lm_head.decoder",
    renamed={
        "encoder.layer.": "layers.",
        ".attn_ln.": ".post_attention_layernorm.",
        ".mlp_ln.": ".post_mlp_layernorm.",
        ".attention.": ".self_attn.",
    },
    joined={"qkv_proj": ("q_proj", "k_proj", "v_proj"), "up_gate_proj": ("up_proj", "gate_proj")},
)
NEW = replace(
    GTE,
    model_type="new",
    title="gte-multilingual",
    fixed={
        "position_embedding_type": "rope",
        "layer_norm_type": "layer_norm",
        "pack_qkv": True,
        "logn_attention_scale": False,
    },
)
BODIES = {family.model_type: family for family in (MODERNBERT, EUROBERT, MT5, M2M100, DEBERTA, GTE, NEW)}


def _as_gte(settings: dict[str, Any], where: object) -> dict[str, Any]:
    """Convert settings of mGTE's authors, whose code is not run, to transformers' settings.

    Type ``ntk`` with a factor f multiplies theta by f, and divides frequencies by f^(2 / d) for heads of size d.
    """
    theta, scaling = float(settings.pop("rope_theta", 10000.0)), settings.pop("rope_scaling", None)
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": theta}
    if scaling is not None:
        factor = scaling.get("factor")
        known = scaling.get("type") == "ntk" and scaling.get("mixed_b") is None
        if not known or not isinstance(factor, int | float) or factor < 1:
            problem = "the model scales its positions in an unknown way"
            expected = '{"type": "ntk", "factor": 1 or more}'
            raise XalignError(problem, where=where, found=f"rope_scaling {scaling}", expected=expected)
        per_head = settings["hidden_size"] // settings["num_attention_heads"]
        rope = {"rope_type": "linear", "rope_theta": theta * factor, "factor": factor ** (2 / per_head)}
    kept = {name: value for name, value in settings.items() if name not in NEW.fixed}
    return {**kept, "rope_parameters": rope, "model_type": GTE.model_type}


def their_config(settings: Mapping[str, Any], where: object) -> Theirs:
    """transformers' configuration for checked settings."""
    try:
        import transformers
    except ImportError:
        problem = "this encoder is run by transformers, which is not installed"
        raise XalignError(problem, where=where, remedy='pip install "transformers>=5"') from None
    try:
        return transformers.AutoConfig.for_model(**settings)
    except Exception as error:  # a damaged configuration can fail in any way
        raise _refused(error, where) from None


def read_settings(transformers_config: str, where: object) -> tuple[BodyFamily, dict[str, Any]]:
    """The family and checked settings of the option ``transformers_config``."""
    settings = require_form(parse_json(transformers_config, where), dict[str, Any], where)
    model_type = settings.get("model_type")
    if not isinstance(model_type, str) or model_type not in BODIES:
        problem, expected = "transformers runs no encoder of this architecture here", f"one of {', '.join(BODIES)}"
        raise XalignError(problem, where=where, found=f"model_type {model_type}", expected=expected)
    return BODIES[model_type], BODIES[model_type].check(settings, where)


def takes_positions(config: EncoderConfig) -> bool:
    """Whether an encoder reads a batch's positions, as ours does."""
    if not config.transformers_config:
        return True
    family, settings = read_settings(config.transformers_config, WHERE)
    return family not in (MT5, M2M100) and bool(settings.get("position_biased_input", True))


def warn_of_dropout(config: EncoderConfig) -> None:
    """Warn of each requested dropout rate that transformers' encoder lacks."""
    if config.transformers_config:
        family, _ = read_settings(config.transformers_config, WHERE)
        for name in DROPOUTS:
            rate = getattr(config, name)
            if rate and name not in family.rates:
                logger.warning("%s %g has no effect: layers of %s have no such dropout", name, rate, family.title)


@torch.no_grad()
def _draw(model: nn.Module) -> None:
    """BERT's initialisation: N(0, 0.02) for maps and embeddings, zero for biases, one for norms."""
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            parameter.normal_(std=0.02)
        else:
            parameter.fill_(0.0 if name.endswith("bias") else 1.0)


def _refused(error: Exception, where: object) -> XalignError:
    found = f"{type(error).__name__}: {error}".split("\n")[0]
    remedy = "check the configuration, or install a newer transformers"
    return XalignError("transformers rejects the model's configuration", where=where, found=found, remedy=remedy)
