"""The families of encoders that transformers runs: names and settings, as data."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
# The encoder is built without token embeddings; ours use our ids.
_ALONE = {"vocab_size": 2, "pad_token_id": 1}
_ALONE |= {f"{name}_token_id": 0 for name in ("bos", "eos", "cls", "sep", "mask")}
# Settings of a config.json about files, ids and code, not about the encoder.
_NOT_KEPT = {"architectures", "auto_map", "dtype", "torch_dtype", "transformers_version", "_name_or_path", "vocab_size"}
SIZES = {  # our names -> their settings
    "encoder_layers": "num_hidden_layers",
    "encoder_embed_dim": "hidden_size",
    "encoder_ffn_embed_dim": "intermediate_size",
    "encoder_attention_heads": "num_attention_heads",
}
_BERT_RATES = {"dropout": "hidden_dropout_prob", "attention_dropout": "attention_probs_dropout_prob"}


def _head(dense: str, norm: str, bias: str) -> dict[str, str]:
    named = {"dense": dense, "layer_norm": norm}
    maps = {f"{our}.{kind}": f"{their}.{kind}" for our, their in named.items() for kind in ("weight", "bias")}
    return {**maps, "bias": bias}


@dataclass(frozen=True)
class BodyFamily:
    """A family of transformers' encoders. Names are module names in ``AutoModel``'s encoder, or setting names."""

    model_type: str
    title: str
    embeddings: str  # of tokens
    layers: str = "layers"
    norm: str = ""  # after the last layer
    eps: str = "layer_norm_eps"  # setting of the layer norms' epsilon
    fixed: Mapping[str, Any] = field(default_factory=dict)  # settings with one value; a config.json may omit them
    rates: Mapping[str, str] = field(default_factory=lambda: _BERT_RATES)  # our names of dropouts -> their settings
    # A layer's output for (layer, x, arguments), if it is not x alone.
    returns: Callable[[Theirs, Tensor, tuple[Any, ...]], Any] = lambda layer, x, given: x
    head: Mapping[str, str] = field(default_factory=dict)  # parts of an LM head of our form -> their names in files
    head_activation: str = "hidden_act"
    output: str = ""  # the output layer, in files that store it besides the tied embeddings

    def check(self, found: Mapping[str, Any], where: object) -> dict[str, Any]:
        """Check a ``config.json``; returns the settings that describe the encoder."""
        missing = [name for name in SIZES.values() if found.get(name) is None]
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
        return {**kept, "model_type": self.model_type}

    def encoder_config(self, settings: Mapping[str, Any], vocab_size: int, where: object) -> EncoderConfig:
        """Our configuration from checked settings, with ``vocab_size`` ids and the model's dropout rates."""
        theirs = their_config(settings, where)
        options: dict[str, Any] = {"max_positions": theirs.max_position_embeddings}
        options |= {ours: int(getattr(theirs, name)) for ours, name in SIZES.items()}
        options |= {ours: float(getattr(theirs, name)) for ours, name in self.rates.items()}
        options["layer_norm_eps"] = getattr(theirs, self.eps)
        return EncoderConfig(vocab_size=vocab_size, transformers_config=json.dumps(settings, sort_keys=True), **options)

    def built(self, config: EncoderConfig, settings: Mapping[str, Any], where: object) -> nn.Module:
        """transformers' encoder for checked settings, with our dropout rates."""
        theirs = their_config(settings, where)
        for ours, name in SIZES.items():
            mine, expected = getattr(config, ours), getattr(theirs, name)
            if mine != expected:
                problem = "the encoder's sizes differ from transformers' configuration"
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
        _draw(model)
        return model  # type: ignore[no-any-return]


MODERNBERT = BodyFamily(
    model_type="modernbert",
    title="ModernBERT, mmBERT",
    embeddings="embeddings.tok_embeddings",
    norm="final_norm",
    eps="norm_eps",
    rates={
        "dropout": "embedding_dropout",
        "attention_dropout": "attention_dropout",
        "activation_dropout": "mlp_dropout",
    },
    head=_head("head.dense", "head.norm", "decoder.bias"),
    head_activation="classifier_activation",
    output="decoder",
)
DEBERTA = BodyFamily(
    model_type="deberta-v2",
    title="DeBERTa-v2, DeBERTa-v3, mDeBERTa-v3",
    embeddings="embeddings.word_embeddings",
    layers="encoder.layer",
    fixed={"conv_kernel_size": 0},
    returns=lambda layer, x, given: (x, None),
    head=_head("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"),
    output="cls.predictions.decoder",
)
BODIES = {family.model_type: family for family in (MODERNBERT, DEBERTA)}


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
        problem, expected = "encoders of this architecture are not supported", f"one of {', '.join(BODIES)}"
        raise XalignError(problem, where=where, found=f"model_type {model_type}", expected=expected)
    return BODIES[model_type], BODIES[model_type].check(settings, where)


def takes_positions(config: EncoderConfig) -> bool:
    """Whether an encoder reads a batch's positions, as ours does."""
    if not config.transformers_config:
        return True
    _, settings = read_settings(config.transformers_config, WHERE)
    return bool(settings.get("position_biased_input", True))


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
