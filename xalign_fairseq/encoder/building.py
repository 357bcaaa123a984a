"""Encoders from given weights: without drawing initial values or copying."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.lookup import is_packed, look_up
from xalign_fairseq.encoder.transformer import Encoder

EMBEDDINGS = "sentence_encoder.embed_tokens.weight"  # by the encoder's own name
# Small sizes, only to list the names of parameters.
STANDING = {
    **{"vocab_size": 1009, "encoder_embed_dim": 1013, "encoder_ffn_embed_dim": 1019, "max_positions": 1021},
    **{"encoder_layers": 1, "encoder_attention_heads": 1},
}
LAYER = ".layers.0."


class Undrawn(TorchFunctionMode):
    """Parameters created inside are not initialised, which takes no time and no memory."""

    # Functions of torch.nn.init, and the methods of tensors that they call.
    DRAWS = frozenset({"normal_", "uniform_", "kaiming_uniform_"})

    def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call a function of a module, unless it initialises."""
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in self.DRAWS:
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def build_encoder(config: EncoderConfig, weights: Mapping[str, Tensor]) -> tuple[Encoder, list[str], list[str]]:
    """An encoder, in evaluation mode, whose parameters are the given tensors themselves where these are float32.

    Tensors mapped from a file stay mapped, so processes that load the same file share its pages.

    Token embeddings in four bits stay in four bits (:class:`~xalign_fairseq.encoder.lookup.Lookup`): the encoder then
    can't be trained and has no masked-language-model head.

    Returns: the encoder, the missing names, and the unknown names.
    """
    with Undrawn():
        encoder = Encoder(config)
    blocks = weights.get(EMBEDDINGS)
    if blocks is not None and is_packed(blocks, config.encoder_embed_dim):
        weights = {name: value for name, value in weights.items() if name != EMBEDDINGS}
        look_up(encoder, blocks)
    report = encoder.load_state_dict({name: value.float() for name, value in weights.items()}, False, assign=True)
    if hasattr(encoder, "lm_head"):
        encoder.lm_head.weight = encoder.sentence_encoder.embed_tokens.weight  # assigned by two names, it is one
    missing = [name for name in report.missing_keys if name != "lm_head.weight"]
    return encoder.eval(), missing, list(report.unexpected_keys)


def shapes(config: EncoderConfig) -> dict[str, tuple[int, ...]]:
    """The shapes of an encoder's parameters by their names, from the meta device."""
    if config.transformers_config:
        with torch.device("meta"):
            return {name: tuple(value.shape) for name, value in Encoder(config).state_dict().items()}
    small = EncoderConfig(**{**asdict(config), **STANDING})
    sizes = {size: getattr(config, name) for name, size in STANDING.items() if size > 1}
    sizes[small.max_positions + small.pad + 1] = config.max_positions + config.pad + 1
    with Undrawn():
        model = Encoder(small).state_dict()
    made: dict[str, tuple[int, ...]] = {}
    for name, value in model.items():
        shape = tuple(sizes.get(size, size) for size in value.shape)
        each = range(config.encoder_layers) if LAYER in name else (0,)
        made.update({name.replace(LAYER, f".layers.{number}."): shape for number in each})
    return made
