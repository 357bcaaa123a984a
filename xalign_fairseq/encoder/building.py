"""Encoders of weights that are there: nothing is drawn that would be replaced, and nothing is copied."""

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder


class Undrawn(TorchFunctionMode):
    """Parameters made inside stay as memory gives them, which takes no time and no pages of memory.

    torch's meta device would do so too, but it imports torch's compiler, for seconds.

    Example::

        with Undrawn():
            layer = nn.Linear(1000, 1000)  # to be filled
    """

    # Functions of torch.nn.init, and the tensors' own that they end in.
    DRAWS = frozenset({"normal_", "uniform_", "kaiming_uniform_"})

    def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call what a module asks for, unless it draws."""
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in self.DRAWS:
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def build_encoder(config: EncoderConfig, weights: Mapping[str, Tensor]) -> tuple[Encoder, list[str], list[str]]:
    """An encoder, in evaluation mode, whose parameters are the given tensors themselves where these are float32.

    Tensors that are mapped from a file stay so: processes that load the same file share its pages.

    Args:
        config: its sizes.
        weights: by the encoder's own names; the head's second name of the embeddings may be missing.

    Returns:
        the encoder, the names that are missing, and those that are not its own.

    Example::

        again, missing, unexpected = build_encoder(encoder.config, encoder.state_dict())
    """
    with Undrawn():
        encoder = Encoder(config)
    report = encoder.load_state_dict({name: value.float() for name, value in weights.items()}, False, assign=True)
    encoder.lm_head.weight = encoder.sentence_encoder.embed_tokens.weight  # assigned by two names, it is one
    missing = [name for name in report.missing_keys if name != "lm_head.weight"]
    return encoder.eval(), missing, list(report.unexpected_keys)


def shapes(config: EncoderConfig) -> dict[str, tuple[int, ...]]:
    """The shapes of an encoder's parameters by their names."""
    with Undrawn():
        return {name: tuple(value.shape) for name, value in Encoder(config).state_dict().items()}
