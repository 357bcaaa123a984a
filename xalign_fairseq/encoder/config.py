"""Sizes of the encoder, independent of training frameworks."""

from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.data.samples import PAD
from xalign_fairseq.transport.layers import at_depth, resolve_layer

SIZES = ("encoder_layers", "encoder_embed_dim", "encoder_ffn_embed_dim", "encoder_attention_heads", "max_positions")
DROPOUTS = ("dropout", "attention_dropout", "activation_dropout")
# Larger than any model, but small enough that a damaged configuration takes little time and memory.
LIMITS = {
    "vocab_size": (1, 1 << 27),
    "encoder_layers": (0, 1000),
    "encoder_embed_dim": (1, 1 << 16),
    "encoder_ffn_embed_dim": (1, 1 << 20),
    "encoder_attention_heads": (1, 1 << 12),
    "max_positions": (1, 1 << 24),
}


@dataclass(frozen=True)
class EncoderConfig:
    """Sizes and dropout rates of an encoder, under the option names of fairseq's checkpoints."""

    pad: ClassVar[int] = PAD
    vocab_size: int
    encoder_layers: int = 12
    encoder_embed_dim: int = 768
    encoder_ffn_embed_dim: int = 3072
    encoder_attention_heads: int = 12
    max_positions: int = 512
    dropout: float = 0.0
    attention_dropout: float = 0.0
    activation_dropout: float = 0.0
    language_embeddings: str = ""
    layer_norm_eps: float = 1e-5
    token_types: int = 1
    transformers_config: str = ""

    def __post_init__(self) -> None:
        for name, (least, most) in LIMITS.items():
            value = getattr(self, name)
            allowed = f"{least} to {most:,}"
            check_values("an encoder cannot have this size", (name, value, least <= value <= most, allowed))
        rates = [(name, getattr(self, name)) for name in DROPOUTS]
        check_values("a dropout rate is out of range", *((*rate, 0 <= rate[1] <= 1, "0 to 1") for rate in rates))
        if self.encoder_embed_dim % self.encoder_attention_heads and not self.transformers_config:
            problem = "the hidden size is not a multiple of the number of attention heads"
            found = f"{self.encoder_embed_dim} and {self.encoder_attention_heads}"
            raise XalignError(problem, parameter=("encoder_embed_dim", "encoder_attention_heads"), found=found)
        epsilon, types = self.layer_norm_eps, self.token_types
        allowed = "1e-5 as in XLM-R, or 1e-12 as in BERT"
        check_values("layer_norm_eps is not positive", ("layer_norm_eps", epsilon, epsilon > 0, allowed))
        allowed, right = "1 as in XLM-R, or 2 as in BERT", types in (1, 2)
        check_values("an encoder cannot have this number of token types", ("token_types", types, right, allowed))
        if len(set(self.languages)) < len(self.languages):
            raise XalignError("a language is named twice", found=self.language_embeddings)

    @property
    def drops(self) -> bool:
        """Whether passes differ between training and evaluation."""
        return any(getattr(self, name) > 0 for name in DROPOUTS)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages with an embedding, in row order."""
        return tuple(name for name in self.language_embeddings.split(",") if name)

    def language_row(self, language: str) -> int:
        """The row of a language's embedding."""
        if language not in self.languages:
            problem, expected = "the encoder has no embedding for a language", ", ".join(self.languages) or "none"
            raise XalignError(problem, parameter="language_embeddings", found=language, expected=expected)
        return self.languages.index(language)

    def side_rows(self, languages: tuple[str, str] | None) -> tuple[int, int] | None:
        """Rows of the language embeddings for both sides; None without embeddings. XalignError without languages."""
        if not self.languages:
            return None
        if languages is None:
            problem = "the encoder has language embeddings, but the languages of the text are not given"
            raise XalignError(problem, parameter="languages", expected=f"two of {', '.join(self.languages)}")
        src, tgt = map(self.language_row, languages)
        return src, tgt

    def require_use_of(self, languages: tuple[str, str] | None) -> None:
        """Raise :class:`XalignError` for given languages if there are no language embeddings."""
        if languages and not self.languages:
            found = "-".join(languages)
            raise XalignError("the encoder has no language embeddings", parameter="languages", found=found)

    @classmethod
    def from_options(cls, options: object, vocab_size: int) -> "EncoderConfig":
        """Read the sizes from any object or dict with fairseq's option names; missing options keep their defaults."""
        found = {}
        for field in fields(cls):
            value = options.get(field.name) if isinstance(options, dict) else getattr(options, field.name, None)
            if value is not None and field.name != "vocab_size":
                found[field.name] = value
        return cls(vocab_size=vocab_size, **found)

    def stored(self) -> dict[str, Any]:
        """The options that an imported checkpoint stores: all except those that the dictionary determines."""
        return {name: value for name, value in asdict(self).items() if name != "vocab_size"}

    def as_options(self) -> dict[str, int | float | str]:
        """The options for this encoder without dropout; options that XLM-R lacks are included only if set."""
        beyond = ("language_embeddings", "layer_norm_eps", "token_types", "transformers_config")
        used = [name for name in beyond if getattr(self, name) != getattr(EncoderConfig, name)]
        return {name: getattr(self, name) for name in (*SIZES, *used)}

    def resolve_layer(self, layer: int, parameter: str = "layer") -> int:
        """Turn a layer number into 0 (embeddings) ... ``encoder_layers``; negative ones count from the end."""
        return resolve_layer(layer, self.encoder_layers, parameter)

    def default_labelling_layer(self) -> int:
        """XLM-Align's labelling layer, 10 of 12 (Table 11); the same relative depth in other encoders, at least 1."""
        return at_depth(self.encoder_layers, 10)[0]
