"""Build encoders from given weights, without initialising or copying."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Required, TypedDict

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import require_form
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.lookup import is_packed, look_up
from xalign_fairseq.encoder.transformer import Encoder

EMBEDDINGS = "sentence_encoder.embed_tokens.weight"  # under the encoder's name
# Small sizes, only to list parameter names.
STANDING = {
    **{"vocab_size": 1009, "encoder_embed_dim": 1013, "encoder_ffn_embed_dim": 1019, "max_positions": 1021},
    **{"encoder_layers": 1, "encoder_attention_heads": 1},
}
LAYER = ".layers.0."


class Undrawn(TorchFunctionMode):
    """Inside this context, new parameters are not initialised, which saves time and memory."""

    # Functions of torch.nn.init and the tensor methods that they call.
    DRAWS = frozenset({"normal_", "uniform_", "kaiming_uniform_"})

    def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in self.DRAWS:
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def build_encoder(config: EncoderConfig, weights: Mapping[str, Tensor]) -> tuple[Encoder, list[str], list[str]]:
    """An encoder in evaluation mode, the missing names, and the unknown names.

    Given float32 tensors become its parameters without a copy, so tensors mapped from a file stay mapped. Four-bit
    token embeddings stay in four bits (:class:`~xalign_fairseq.encoder.lookup.Lookup`); such an encoder can't be
    trained and has no masked-language-model head.
    """
    with Undrawn():
        encoder = Encoder(config)
    blocks = weights.get(EMBEDDINGS)
    if blocks is not None and is_packed(blocks, config.encoder_embed_dim):
        weights = {name: value for name, value in weights.items() if name != EMBEDDINGS}
        look_up(encoder, blocks)
    report = encoder.load_state_dict({name: value.float() for name, value in weights.items()}, False, assign=True)
    if hasattr(encoder, "lm_head"):
        encoder.lm_head.weight = encoder.sentence_encoder.embed_tokens.weight  # two names, one tensor
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


class TokenizerState(TypedDict, total=False):
    symbols: list[str]
    sentencepiece: Tensor
    wordpiece: Any
    pipeline: Any


class TaskState(TypedDict, total=False):
    """The part of this package's task state that is read before training resumes."""

    tokenizer: TokenizerState
    family: str
    labelling: dict[str, Any] | None
    trimmed: dict[str, Any]
    transfer: dict[str, Any]
    language_embeddings: str


class Updates(TypedDict, total=False):
    num_updates: int


class CheckpointForm(TypedDict, total=False):
    """A checkpoint of any fairseq release, with this package's additions."""

    model: Required[dict[str, Tensor]]
    cfg: dict[str, Any] | None
    args: argparse.Namespace | None
    task_state: TaskState | None
    optimizer_history: list[Updates] | None
    extra_state: dict[str, Any] | None


class EncoderOptions(TypedDict, total=False):
    """The model options that the weights do not determine."""

    encoder_attention_heads: int
    language_embeddings: str | None
    layer_norm_eps: float | None
    token_types: int | None
    transformers_config: str | None


def require_checkpoint(state: Any, where: object) -> dict[str, Any]:
    """Return a checkpoint's content; raise :class:`XalignError` unless it matches :class:`CheckpointForm`."""
    require_form(state, CheckpointForm, where)
    wrong = [name for name, value in state["model"].items() if value.layout != torch.strided or value.is_quantized]
    if wrong:
        raise XalignError("a parameter of the checkpoint is sparse or quantised", where=where, found=wrong[:3])
    content = ((state.get("task_state") or {}).get("tokenizer") or {}).get("sentencepiece")
    if content is not None and (content.dtype != torch.uint8 or content.dim() != 1):
        found, expected = f"{content.dtype} of shape {tuple(content.shape)}", "the bytes of a sentencepiece model"
        raise XalignError("the checkpoint's tokenizer is damaged", where=where, found=found, expected=expected)
    made: dict[str, Any] = state
    return made


def require_parameters(weights: Mapping[str, Tensor], config: EncoderConfig, where: object) -> None:
    """Raise :class:`XalignError` if a tensor of an encoder has a wrong size."""
    expected = shapes(config)
    for name, value in weights.items():
        if name == EMBEDDINGS and is_packed(value, config.encoder_embed_dim):
            continue
        if name in expected and tuple(value.shape) != expected[name]:
            problem = "the shape of a parameter contradicts the checkpoint's other parameters"
            raise XalignError(problem, where=f"{where}, {name}", found=tuple(value.shape), expected=expected[name])
        if name in expected and not value.is_floating_point():
            problem = "a parameter of the checkpoint holds no floating-point numbers"
            raise XalignError(problem, where=f"{where}, {name}", found=value.dtype)
