"""Read checkpoints without running code in them."""

import argparse
import logging
import pickle
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Required, TypedDict

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError, is_disk_error
from xalign_fairseq.core.files import StrPath, nearly
from xalign_fairseq.core.json_files import require_form
from xalign_fairseq.encoder import masked_lm
from xalign_fairseq.encoder.building import build_encoder
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder

METERS = ("AverageMeter", "TimeMeter", "StopwatchMeter")


def allow_list(meters: Mapping[str, type]) -> list[Any]:
    """The list for ``torch.serialization.add_safe_globals``.

    - ``argparse.Namespace``: the ``args`` of checkpoints from before omegaconf, RoBERTa's and XLM-R's among them;
    - training statistics, of the current module and of ``fairseq.meters``, where fairseq 0.6 to 0.9 had them;
    - numpy scalars (with their dtypes): a validation score that was not converted to a float.
    """
    named = [(meters[name], f"fairseq.{module}.{name}") for module in ("meters", "logging.meters") for name in METERS]
    scalar = np.float64(0).__reduce__()[0]
    numpys = [(scalar, "numpy.core.multiarray.scalar"), (scalar, "numpy._core.multiarray.scalar"), np.dtype]
    dtypes = [type(np.dtype(kind)) for kind in ("f8", "f4", "f2", "i8", "i4", "i2", "u2", "u1", "?")]
    return [argparse.Namespace, *named, *numpys, *dtypes]


logger = logging.getLogger(__name__)

_BODY = "encoder.sentence_encoder."
_LAYER = re.compile(re.escape(f"{_BODY}layers.") + r"(\d+)\.")
# Parts of a task state that all further training keeps: the model's family and trimming.
LASTING = ("family", "trimmed")
MODELS = "check the path; a model is a .pt file, a folder, a name on the hub, or e5-small"
NO_CHECKPOINT = "the file is not a checkpoint, or it is damaged"


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


def require_checkpoint(state: dict[str, Any], where: object) -> dict[str, Any]:
    """Return a checkpoint's content; raise :class:`XalignError` unless it matches :class:`CheckpointForm`."""
    require_form(state, CheckpointForm, where)
    wrong = [name for name, value in state["model"].items() if value.layout != torch.strided or value.is_quantized]
    if wrong:
        raise XalignError("a parameter of the checkpoint is sparse or quantised", where=where, found=wrong[:3])
    content = ((state.get("task_state") or {}).get("tokenizer") or {}).get("sentencepiece")
    if content is not None and (content.dtype != torch.uint8 or content.dim() != 1):
        found = f"{content.dtype} of shape {tuple(content.shape)}"
        raise XalignError("the checkpoint's tokenizer is damaged", where=where, found=found)
    return state


class Meter:
    """Replaces fairseq's training statistics in older checkpoints; the statistics are not read."""


def load_pickled(path: StrPath) -> Any:
    """Load a ``torch.save`` file onto the CPU, with ``weights_only=True`` and an explicit allow-list.

    Raises:
        XalignError: the file is missing, truncated or of another format, or pickles objects outside the allow-list.
    """
    path = Path(path)
    if not path.is_file():
        raise XalignError("the checkpoint does not exist", where=path, found=nearly(path), remedy=MODELS)
    # torch's context manager also removes earlier entries of its list.
    before = torch.serialization.get_safe_globals()
    allowed = [each for each in allow_list(dict.fromkeys(METERS, Meter)) if each not in before]
    try:
        with torch.serialization.safe_globals(allowed):
            return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except pickle.UnpicklingError as error:
        foreign = re.search(r"GLOBAL (\S+)", str(error))
        if foreign:
            problem = "the checkpoint holds foreign pickled code and was not loaded"
            remedy = "get the weights from someone you trust as a plain state dict"
            raise XalignError(problem, where=path, found=foreign[1], remedy=remedy) from None
        raise XalignError(NO_CHECKPOINT, where=path, remedy=MODELS) from None
    except Exception as error:  # other bytes can fail in any way
        found = None if isinstance(error, LookupError) else str(error).split("\n")[0] or "no content"
        raise XalignError(NO_CHECKPOINT, where=path, found=found, remedy=MODELS) from None


def read(path: StrPath) -> dict[str, Any]:
    """Load a fairseq checkpoint by :func:`load_pickled`; raise :class:`XalignError` for any other content.

    Its ``model`` has current names, and a masked-language-model head only if it is complete and tied.
    """
    state = load_pickled(path)
    if not isinstance(state, dict) or not isinstance(state.get("model"), dict):
        found = sorted(map(str, state))[:5] if isinstance(state, dict) else type(state).__name__
        raise XalignError("the file is not a fairseq checkpoint", where=path, found=found)
    require_options(require_checkpoint(state, path), path)
    return {**state, "model": masked_lm.usable(masked_lm.today(state["model"]), path)}


def require_options(state: dict[str, Any], where: StrPath) -> dict[str, Any]:
    """Return a checkpoint's content if its options have the types of :class:`EncoderOptions`."""
    require_form(options(state), EncoderOptions, f"{where}, the model's options")
    return state


def read_if_whole(path: StrPath) -> dict[str, Any] | None:
    """Like :func:`read`, but None if the checkpoint is damaged or missing; what the disk or memory causes is raised."""
    try:
        return read(path)
    except XalignError as error:
        if isinstance(error.__context__, MemoryError) or is_disk_error(error.__context__):
            raise
        return None


def updates_in(state: Mapping[str, Any]) -> int:
    """The number of updates of a checkpoint's content, 0 without training."""
    history = state.get("optimizer_history")
    return history[-1].get("num_updates", 0) if history else 0


def updates_of(path: StrPath) -> int | None:
    """The number of updates of a checkpoint, 0 without training; None if it is damaged or missing."""
    state = read_if_whole(path)
    return None if state is None else updates_in(state)


def is_intact(path: StrPath) -> bool:
    """Whether the checksums of a checkpoint's parts, which loading ignores, are right. Reads the whole file.

    Files of older formats have no checksums and count as intact.
    """
    try:
        if not zipfile.is_zipfile(path):
            return True
        with zipfile.ZipFile(path) as parts:
            return parts.testzip() is None
    except Exception as error:  # other bytes can fail in any way
        if is_disk_error(error):
            raise
        return False


def options(state: dict[str, Any], group: str = "model") -> dict[str, Any]:
    """The options of a checkpoint as a dict: one group of ``cfg``, or all of an older ``args``, without tensors."""
    found = state["cfg"].get(group) if state.get("cfg") is not None else state.get("args")
    given = vars(found) if isinstance(found, argparse.Namespace) else found if isinstance(found, dict) else {}
    return {name: value for name, value in given.items() if not isinstance(value, Tensor)}


def lasting(task_state: Mapping[str, Any] | None) -> dict[str, Any]:
    """The part of a task state that further training keeps: :data:`LASTING`, if present."""
    return {key: task_state[key] for key in LASTING if key in task_state} if task_state else {}


def vocab_size(state: dict[str, Any], where: StrPath = "checkpoint") -> int:
    """The number of ids, ``<mask>`` included, of a checkpoint's encoder."""
    return _embeddings(state["model"], where).shape[0]


def load_encoder(state: dict[str, Any], where: StrPath = "checkpoint") -> tuple[Encoder, dict[str, Tensor]]:
    """Build the encoder of a checkpoint, in evaluation mode, and the heads of its objectives.

    The encoder's parameters are the checkpoint's float32 tensors, which :func:`read` maps from the file. Processes that
    load one file share its memory; the file must not change meanwhile. If the masked-language-model head is missing, a
    new head is made from the embeddings (logged). There is no head if the embeddings stay in four bits, see
    :func:`~xalign_fairseq.encoder.building.build_encoder`.

    Returns:
        the encoder, and the tensors of the checkpoint's heads by their names (``heads.dwa.query.weight`` ...).
    """
    config, weights = encoder_config(state, where), dict(state["model"])
    embeddings = _embeddings(weights, where)
    if not masked_lm.has_head(weights) and embeddings.is_floating_point():
        logger.warning("%s has no masked-language-model head: one is made from its embeddings", where)
        weights |= masked_lm.new_head(embeddings.float())
    mine = {key.removeprefix("encoder."): value for key, value in weights.items() if key.startswith("encoder.")}
    encoder = build_encoder(config, mine, where)
    heads = {key: value for key, value in weights.items() if not key.startswith("encoder.")}
    encoder.name = str(where)
    return encoder, heads


def encoder_config(state: dict[str, Any], where: StrPath = "checkpoint") -> EncoderConfig:
    """The sizes of a checkpoint's encoder.

    The weights give them; only the options give the number of attention heads, and all settings of an encoder that
    transformers runs.
    """
    weights, given = state["model"], options(state)
    embeddings = _embeddings(weights, where)
    if given.get("transformers_config"):
        return EncoderConfig.from_options(given, vocab_size=embeddings.shape[0])
    positions = weights.get(f"{_BODY}embed_positions.weight")
    if positions is None or positions.dim() != 2:
        raise _no_encoder(weights, where)
    layers = {found[1] for key in weights if (found := _LAYER.match(key))}
    inner = weights.get(f"{_BODY}layers.0.fc1.bias")
    return EncoderConfig(
        vocab_size=embeddings.shape[0],
        encoder_layers=len(layers),
        encoder_embed_dim=(embeddings if embeddings.is_floating_point() else positions).shape[1],
        encoder_ffn_embed_dim=1 if inner is None else inner.numel(),
        encoder_attention_heads=_attention_heads(given, where),
        max_positions=positions.shape[0] - 2,
        language_embeddings=given.get("language_embeddings") or "",
        layer_norm_eps=given.get("layer_norm_eps") or EncoderConfig.layer_norm_eps,
        token_types=1 + (f"{_BODY}second_text" in weights),
    )


def _embeddings(weights: dict[str, Tensor], where: StrPath) -> Tensor:
    tokens = weights.get(f"{_BODY}embed_tokens.weight")
    if tokens is None or tokens.dim() != 2:
        raise _no_encoder(weights, where)
    return tokens


def _no_encoder(weights: dict[str, Tensor], where: StrPath) -> XalignError:
    found, expected = f"keys such as {sorted(weights)[:3]}", "a checkpoint of RoBERTa, of XLM-R or of this package"
    return XalignError("the checkpoint holds no encoder of this kind", where=where, found=found, expected=expected)


def _attention_heads(found: Mapping[str, Any], where: StrPath) -> int:
    if "encoder_attention_heads" in found:
        made: int = found["encoder_attention_heads"]
        return made
    known = {"roberta_base": 12, "xlmr_base": 12, "roberta_large": 16, "xlmr_large": 16}
    arch = str(found.get("arch") or found.get("_name"))
    if arch in known:
        return known[arch]
    problem = "the checkpoint's options lack encoder_attention_heads"
    raise XalignError(problem, where=where, found=f"architecture {arch}")
