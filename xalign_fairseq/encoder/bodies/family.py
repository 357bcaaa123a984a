"""The differences between families of transformers' encoders: configuration, names, and calls of layers."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias, TypedDict

import torch
from torch import Tensor, nn

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import require_form
from xalign_fairseq.encoder.bodies import attention
from xalign_fairseq.encoder.bodies.attention import Surroundings
from xalign_fairseq.encoder.config import EncoderConfig

# What stands for the vocabulary while transformers builds a model: embeddings are ours, by our ids.
_IDS = ("bos", "eos", "cls", "sep", "mask")
STANDING = {"vocab_size": 2, "pad_token_id": 1, "decoder_start_token_id": 0, **{f"{name}_token_id": 0 for name in _IDS}}

# Modules, configurations and outputs of transformers, which has no types for them.
Theirs: TypeAlias = Any


class BertSizes(TypedDict, total=False):
    """Settings that most families have by BERT's names."""

    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    max_position_embeddings: int


class BertSettings(BertSizes, total=False):
    """Besides, BERT's activation, rates and epsilon."""

    hidden_act: str
    hidden_dropout_prob: float
    attention_probs_dropout_prob: float
    layer_norm_eps: float
    type_vocab_size: int


class BodyFamily(ABC):
    """One kind of transformers' encoders.

    Attributes:
        model_type: its name in ``config.json``.
        title: models of it, for people.
        form: a ``TypedDict`` of the parts of ``config.json`` that are read.
        required: the settings that a ``config.json`` must have, besides the sizes.
        fixed: settings that are the same in all its models here, and what a ``config.json`` without them means.
        sizes: our names of an encoder's sizes -> theirs.
        rates: our names of dropout rates -> theirs, all of which are set to ours.
        eps: their name of what is added to the variance in layer norms; empty: they have torch's.
        embeddings: their name of the token embeddings, in the model that :meth:`build` gives.
        layers: their name of the list of layers.
        norm: their name of the norm after the last layer; empty: there is none.
        packs: whether sentences are run without padding.
        head: the parts of a masked-language-model head of our form -> their names in files; empty: it is of another.
        head_activation: the setting with the head's activation.
        output: their name of the map to the vocabulary, in files that also have the embeddings it is tied to.
    """

    model_type: ClassVar[str]
    title: ClassVar[str]
    form: ClassVar[type]
    required: ClassVar[tuple[str, ...]] = ()
    fixed: ClassVar[Mapping[str, Any]] = {}
    sizes: ClassVar[Mapping[str, str]] = {
        "encoder_embed_dim": "hidden_size",
        "encoder_ffn_embed_dim": "intermediate_size",
        "encoder_layers": "num_hidden_layers",
        "encoder_attention_heads": "num_attention_heads",
    }
    rates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "dropout": ("hidden_dropout_prob",),
        "attention_dropout": ("attention_probs_dropout_prob",),
    }
    eps: ClassVar[str] = ""
    embeddings: ClassVar[str]
    layers: ClassVar[str] = "layers"
    norm: ClassVar[str] = ""
    packs: ClassVar[bool] = True
    head: ClassVar[Mapping[str, str]] = {}
    head_activation: ClassVar[str] = "hidden_act"
    output: ClassVar[str] = ""

    def check(self, found: Mapping[str, Any], where: object) -> dict[str, Any]:
        """The settings of a ``config.json`` that are read."""
        missing = [name for name in (*self.sizes.values(), *self.required) if found.get(name) is None]
        if missing:
            raise XalignError("the model's configuration lacks settings", where=where, found=f"no {', '.join(missing)}")
        names = {*self.form.__annotations__, *self.fixed}
        kept = {name: value for name, value in found.items() if name in names and value is not None}
        require_form(kept, self.form, where)
        for name, value in self.fixed.items():
            if kept.get(name, value) != value:
                given, expected = f"{name} {kept[name]}", f"{name} {value}"
                raise XalignError(f"the model differs from {self.title}", where=where, found=given, expected=expected)
        return {"model_type": self.model_type, **kept}

    def encoder_config(self, settings: Mapping[str, Any], vocab_size: int, where: object) -> EncoderConfig:
        """The encoder of checked settings, with this number of our ids, and the model's own rates of dropout."""
        theirs = self.their_config(settings, where)
        options: dict[str, Any] = {"max_positions": self.max_positions(theirs)}
        options |= {ours: int(getattr(theirs, name)) for ours, name in self.sizes.items()}
        options |= {ours: float(getattr(theirs, names[0])) for ours, names in self.rates.items()}
        if self.eps:
            options["layer_norm_eps"] = getattr(theirs, self.eps)
        return EncoderConfig(vocab_size=vocab_size, transformers_config=json.dumps(settings, sort_keys=True), **options)

    def max_positions(self, theirs: Theirs) -> int:
        """The longest sequence, special tokens included."""
        made: int = theirs.max_position_embeddings
        return made

    def takes_positions(self, settings: Mapping[str, Any]) -> bool:
        """Whether a model of checked settings reads its tokens' positions, not only their distances."""
        return True

    def their_config(self, settings: Mapping[str, Any], where: object) -> Theirs:
        """transformers' configuration of checked settings."""
        transformers = require_transformers(where)
        given = {**{name: value for name, value in settings.items() if name != "model_type"}, **STANDING}
        try:
            return transformers.AutoConfig.for_model(self.model_type, **given)
        except Exception as error:  # a damaged configuration can fail in any way
            raise refused(error, where) from None

    def built(self, config: EncoderConfig, settings: Mapping[str, Any], where: object) -> nn.Module:
        """transformers' model of checked settings with the rates of dropout of a configuration of ours."""
        theirs = self.their_config(settings, where)
        for ours, name in self.sizes.items():
            mine, expected = getattr(config, ours), getattr(theirs, name)
            if mine != expected:
                problem = "the encoder's sizes are not those of transformers' configuration"
                raise XalignError(problem, where=where, found=f"{ours} {mine}", expected=expected)
        for ours, names in self.rates.items():
            for name in names:
                setattr(theirs, name, getattr(config, ours))
        attention.register()
        theirs._attn_implementation = "eager"
        from transformers.initialization import no_init_weights

        try:
            with no_init_weights():  # on the meta device, drawing again until all values are in bounds would not end
                model = self.build(theirs)
        except Exception as error:
            raise refused(error, where) from None
        draw(model)
        model.config._attn_implementation = attention.NAME  # type: ignore[union-attr]
        return model

    def rename(self, weights: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """A file's tensors by the names that transformers' model has: theirs already, but in some families."""
        return weights

    @abstractmethod
    def build(self, theirs: Theirs) -> nn.Module:
        """transformers' encoder of its configuration."""

    @abstractmethod
    def embed(self, rest: Theirs, vectors: Tensor, positions: Tensor) -> Tensor:
        """Hidden states of layer 0, of the shape of ``vectors`` (..., H), the tokens' embeddings.

        Args:
            rest: the model without layers and token embeddings.
            vectors: of the tokens.
            positions: (...) int64, from 1 on; 0 at padding.
        """

    def share(self, rest: Theirs, first: Theirs, x: Tensor, around: Surroundings) -> Theirs:
        """The values that all layers of a pass read, computed once."""

    def run(self, layer: Theirs, x: Tensor, around: Surroundings, shared: Theirs) -> Tensor:
        """One of transformers' layers: (B, T, H) -> (B, T, H), packed sentences as B = 1."""
        made: Tensor = layer(x, attention_mask=around, position_embeddings=shared)
        return made

    def finish(self, rest: Theirs, x: Tensor) -> Tensor:
        """The step after the final norm, which only some families have."""
        return x


@torch.no_grad()
def draw(model: nn.Module) -> None:
    """BERT's initialisation: N(0, 0.02) for maps and embeddings, zero for biases, one for norms."""
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            parameter.normal_(std=0.02)
        else:
            parameter.fill_(0.0 if name.endswith("bias") else 1.0)


def refused(error: Exception, where: object) -> XalignError:
    """The error for a configuration at which transformers fails."""
    found = f"{type(error).__name__}: {error}".split("\n")[0]
    remedy = "check the configuration, or install a newer transformers"
    return XalignError("transformers does not take the model's configuration", where=where, found=found, remedy=remedy)


def require_transformers(where: object) -> Any:
    """The library; :class:`XalignError` where it is not installed."""
    try:
        import transformers
    except ImportError:
        problem = "this encoder is run by transformers, which is not installed"
        raise XalignError(problem, where=where, remedy='pip install "transformers>=5"') from None
    return transformers
