"""The known family of a pretrained encoder, by its sizes and names.

A model's family determines its defaults for aligning. Further training keeps the family.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.encoder import checkpoint, masked_lm

FAMILY = "family"  # in a checkpoint's task state
ALWAYS, WITH_HEAD, NAMED = "always", "with its head", "named"


@dataclass(frozen=True)
class KnownModel:
    """A row of :data:`KNOWN`."""

    family: str
    names: tuple[str, ...]  # on hubs and in archives, in lower case, without organisation
    sizes: tuple[int, int, int, int]  # layers, hidden size, inner size of feed-forward maps, ids with <mask>
    known_by: str = NAMED  # how it is recognised; sentence encoders have no masked-language-model head
    norm: tuple[float, ...] = ()  # first weights of the embeddings' layer norm, which identify it without a name


_BASE, _LARGE, _MINI = (12, 768, 3072), (24, 1024, 4096), (12, 384, 1536)
_XLM_R, _MBERT = 250002, 119547
KNOWN = (
    KnownModel("xlm-r-base", ("xlm-roberta-base", "xlmr.base"), (*_BASE, _XLM_R), WITH_HEAD),
    KnownModel("xlm-r-large", ("xlm-roberta-large", "xlmr.large"), (*_LARGE, _XLM_R), WITH_HEAD),
    KnownModel("xlm-align-base", ("xlm-align-base",), (*_BASE, _XLM_R)),
    KnownModel("infoxlm-base", ("infoxlm-base",), (*_BASE, _XLM_R)),
    KnownModel("infoxlm-large", ("infoxlm-large",), (*_LARGE, _XLM_R)),
    KnownModel("xlm-v-base", ("xlm-v-base",), (*_BASE, 901629), ALWAYS),
    KnownModel("glot500-base", ("glot500-base",), (*_BASE, 401145), ALWAYS),
    KnownModel(
        "e5-small", ("multilingual-e5-small",), (*_MINI, _XLM_R), norm=(0.4584961, 0.453125, 0.4379883, 0.4140625)
    ),
    KnownModel("e5-base", ("multilingual-e5-base",), (*_BASE, _XLM_R)),
    KnownModel("e5-large", ("multilingual-e5-large",), (*_LARGE, _XLM_R)),
    KnownModel("minilm-l12", ("paraphrase-multilingual-minilm-l12-v2",), (*_MINI, _XLM_R)),
    KnownModel("mpnet-base", ("paraphrase-multilingual-mpnet-base-v2",), (*_BASE, _XLM_R)),
    KnownModel("bge-m3", ("bge-m3",), (*_LARGE, _XLM_R)),
    KnownModel("mbert", ("bert-base-multilingual-cased",), (*_BASE, _MBERT), WITH_HEAD),
    KnownModel("mbert-uncased", ("bert-base-multilingual-uncased",), (*_BASE, 105879), WITH_HEAD),
    KnownModel("labse", ("labse",), (*_BASE, 501153), ALWAYS),
)


def family_of(state: Mapping[str, Any]) -> str | None:
    """The known family that a checkpoint records; None without one."""
    found = (state.get("task_state") or {}).get(FAMILY)
    return found if isinstance(found, str) else None


def with_family(state: dict[str, Any], family: str | None) -> dict[str, Any]:
    """The state, with a family added to its task state if it has none."""
    if family is None or family_of(state) is not None:
        return state
    return {**state, "task_state": {**(state.get("task_state") or {}), FAMILY: family}}


def recognise(weights: Mapping[str, Tensor], called: Iterable[StrPath]) -> str | None:
    """The family of a model with these names (on a hub, of its folder, of its origin), None if it is not certain.

    A name counts only together with the model's sizes. Without a name, a model of XLM-R's or mBERT's sizes counts as
    one of these if it was trained with a masked-language-model head. Models that continue their pre-training
    (XLM-Align, InfoXLM) are similar; sentence encoders have no such head.
    """
    alike = [model for model in KNOWN if model.sizes == _sizes(weights)]
    given = {name for each in called for name in _names(each)}
    for model in alike:
        if given & {model.family, *model.names}:
            return model.family
    norm = weights.get("encoder.sentence_encoder.layernorm_embedding.weight", torch.empty(0)).float()
    for model in alike:
        first = torch.tensor(model.norm)
        has_norm = len(first) > 0 and len(norm) >= len(first)
        if (
            model.known_by == ALWAYS
            or (model.known_by == WITH_HEAD and masked_lm.has_head(weights))
            or (has_norm and torch.allclose(norm[: len(first)], first, rtol=2e-3, atol=0))  # also in half precision
        ):
            return model.family
    return None


def recognise_checkpoint(state: dict[str, Any], where: Path) -> str | None:
    """The family of a fairseq checkpoint, such as ``model.pt`` of XLM-R's archive.

    A model that this package trained has the family of its first checkpoint; its sizes do not show its origin.
    """
    options = checkpoint.options(state)
    began = [options.get("init_checkpoint"), checkpoint.options(state, "checkpoint").get("finetune_from_model")]
    weights = state["model"]
    if str(options.get("_name") or options.get("arch") or "").startswith("xalign"):
        weights = {name: value for name, value in weights.items() if not name.startswith(masked_lm.HEAD)}
        return recognise(weights, [each for each in began if each])
    return recognise(weights, [where.parent])


def _names(given: StrPath) -> set[str]:
    """The model names in a name on the hub, a path, or a folder of the hub's cache."""
    parts = [part.lower() for part in PurePosixPath(os.fspath(given)).parts]
    while len(parts) > 1 and (parts[-1] == "snapshots" or parts[-1].endswith(".pt") or "snapshots" in parts[-2:-1]):
        parts.pop()
    last = parts[-1] if parts else ""
    # models--ORGANISATION--NAME, sentence-transformers_NAME
    return {last, last.split("--")[-1], last.split("_")[-1]}


def _sizes(weights: Mapping[str, Tensor]) -> tuple[int, int, int, int] | None:
    layers = {name.split(".")[3] for name in weights if name.startswith("encoder.sentence_encoder.layers.")}
    tokens = weights.get(masked_lm.EMBEDDINGS)
    inner = weights.get("encoder.sentence_encoder.layers.0.fc1.weight")
    if tokens is None or inner is None:
        return None
    return len(layers), tokens.shape[1], inner.shape[0], tokens.shape[0]
