"""Checks of a checkpoint before a model is built: types, names, shapes."""

import argparse
from collections.abc import Mapping
from typing import Any, Required, TypedDict

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import require_form
from xalign_fairseq.encoder.building import EMBEDDINGS, shapes
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.lookup import is_packed


class TokenizerState(TypedDict, total=False):
    """Dictionary and model of a tokenizer; WordPiece's settings are checked when they are read."""

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
    """An entry of fairseq's history of optimizers."""

    num_updates: int


class CheckpointForm(TypedDict, total=False):
    """A checkpoint of fairseq, today's or of older releases, with what this package adds."""

    model: Required[dict[str, Tensor]]
    cfg: dict[str, Any] | None
    args: argparse.Namespace | None
    task_state: TaskState | None
    optimizer_history: list[Updates] | None
    extra_state: dict[str, Any] | None


class EncoderOptions(TypedDict, total=False):
    """The options of a model that its weights do not show."""

    encoder_attention_heads: int
    language_embeddings: str | None
    layer_norm_eps: float | None
    token_types: int | None
    transformers_config: str | None


def require_checkpoint(state: Any, where: object) -> dict[str, Any]:
    """A checkpoint's content, if its parts have the types of :class:`CheckpointForm`."""
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
    """Raise :class:`XalignError` if a tensor of an encoder does not have its size."""
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
