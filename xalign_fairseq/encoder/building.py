"""Build encoders from given weights, without initialising or copying."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.token_tables import is_packed, look_up
from xalign_fairseq.encoder.transformer import Encoder

EMBEDDINGS = "sentence_encoder.embed_tokens.weight"  # under the encoder's name


class Undrawn(TorchFunctionMode):
    """Inside this context, new parameters are not initialised, which saves time and memory."""

    # Functions of torch.nn.init and the tensor methods that they call.
    DRAWS = frozenset({"normal_", "uniform_", "kaiming_uniform_"})

    def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in self.DRAWS:
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def build_encoder(config: EncoderConfig, weights: Mapping[str, Tensor], where: object = "checkpoint") -> Encoder:
    """An encoder in evaluation mode; :class:`XalignError` unless the tensors are exactly its parameters.

    Given float32 tensors become its parameters without a copy, so tensors mapped from a file stay mapped. Four-bit
    token embeddings stay in four bits (:class:`~xalign_fairseq.encoder.token_tables.Lookup`); such an encoder can't be
    trained and has no masked-language-model head.
    """
    with Undrawn():
        encoder = Encoder(config)
    blocks = weights.get(EMBEDDINGS)
    if blocks is not None and is_packed(blocks, config.encoder_embed_dim):
        weights = {name: value for name, value in weights.items() if name != EMBEDDINGS}
        look_up(encoder, blocks)
    for name, own in encoder.state_dict().items():
        given = weights.get(name, own)
        if given.shape != own.shape:
            problem = "the shape of a parameter contradicts the checkpoint's other parameters"
            raise XalignError(problem, where=f"{where}, {name}", found=tuple(given.shape), expected=tuple(own.shape))
        if not given.is_floating_point():
            problem = "a parameter of the checkpoint does not hold floating-point numbers"
            raise XalignError(problem, where=f"{where}, {name}", found=given.dtype)
    report = encoder.load_state_dict({name: value.float() for name, value in weights.items()}, False, assign=True)
    if hasattr(encoder, "lm_head"):
        encoder.lm_head.weight = encoder.sentence_encoder.embed_tokens.weight  # two names, one tensor
    missing = [name for name in report.missing_keys if name != "lm_head.weight"]
    if missing or report.unexpected_keys:
        found = f"missing {missing[:3]}, unexpected {report.unexpected_keys[:3]}"
        raise XalignError("the checkpoint's parameters do not match this encoder", where=where, found=found)
    return encoder.eval()


def shapes(config: EncoderConfig) -> dict[str, tuple[int, ...]]:
    """The shapes of an encoder's parameters by their names, from the meta device."""
    with Undrawn(), torch.device("meta"):
        return {name: tuple(value.shape) for name, value in Encoder(config).state_dict().items()}
