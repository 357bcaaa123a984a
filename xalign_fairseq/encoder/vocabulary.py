"""The tokenizer that a checkpoint was trained with, found and checked without fairseq."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.databin import DICTIONARY, DataBin, has_dictionary
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.data.tokenizers.tokenizer_model import (
    PLAIN,
    SENTENCEPIECE,
    TokenizerModel,
    find_model,
    make_tokenizer,
    model_name,
)
from xalign_fairseq.encoder import checkpoint

_PREPARE_AGAIN = Command("prepare", Parameter("tokenizer", "CHECKPOINT"))


def load_tokenizer(state: dict[str, Any], vocab_size: int, *, where: StrPath = "checkpoint") -> Tokenizer:
    """The tokenizer of a checkpoint: each part from the checkpoint, its folder or its data-bin.

    A checkpoint of this package stores both parts in ``task_state``; a fairseq checkpoint names its data-bin in its
    options; XLM-R's archive has ``dict.txt`` and ``sentencepiece.bpe.model`` next to ``model.pt``. A dictionary is
    accepted only if it gives exactly the encoder's number of ids, ``<mask>`` included. The model is sentencepiece's or
    WordPiece's.

    Args:
        state: the result of :func:`xalign_fairseq.encoder.checkpoint.read`.
        vocab_size: rows of the encoder's embedding.
        where: the checkpoint's path.

    Raises:
        XalignError: a part is missing, or the dictionary does not fit the checkpoint.
    """
    stored = (state.get("task_state") or {}).get("tokenizer") or {}
    source: object = where
    if "symbols" in stored:
        found = Dictionary(stored["symbols"][len(Dictionary()) :])
    else:
        data = _data_bin(state, where, "dictionary", has_dictionary)
        found, source = data.dictionary, data.path
    model: TokenizerModel | Path | None = stored_model(stored, where)
    if model is None:
        data = _data_bin(state, where, "tokenizer", find_model)
        model = find_model(data.path)
        assert model is not None
    check_dictionary(found, source, state, vocab_size, where)
    return make_tokenizer(model, found)


def check_dictionary(
    dictionary: Dictionary, source: object, state: dict[str, Any], vocab_size: int, where: StrPath
) -> None:
    """Raise :class:`XalignError` unless a dictionary has the checkpoint's number of ids and its stored symbols."""
    own = ((state.get("task_state") or {}).get("tokenizer") or {}).get("symbols")
    if dictionary.embedding_size != vocab_size or (own is not None and list(own) != dictionary.symbols):
        raise XalignError(
            "the dictionary does not fit the checkpoint",
            where=f"{source}, {where}",
            found=f"{dictionary.embedding_size} ids, and {vocab_size} in the checkpoint"
            + (", but other symbols" if dictionary.embedding_size == vocab_size else ""),
            remedy=f"use the {DICTIONARY} of the data-bin that the checkpoint was trained with",
        )


def require_same_tokenizer(stored: Mapping[str, Any], data: DataBin, vocab_size: int | None = None) -> None:
    """Refuse a data-bin whose ids, number of ids or normalisation differ from those that a checkpoint records."""
    symbols, mine = stored.get("symbols"), data.dictionary.symbols
    vocabulary_differs = symbols is not None and list(symbols) != mine
    if vocabulary_differs or vocab_size not in (None, data.dictionary.embedding_size):
        problem = "the data-bin's dictionary is not the one that the checkpoint was trained with"
        trimmed = (data.path / "model.pt").is_file()  # written by xalign prepare --trim-vocabulary
        remedy = ("begin with", Parameter("init_checkpoint", data.path)) if trimmed else _PREPARE_AGAIN
        raise XalignError(problem, where=data.path, found=f"{data.dictionary.embedding_size} ids", remedy=remedy)
    theirs, ours = stored_model(stored), data.tokenizer_model
    # sentencepiece models are compared only by their dictionaries.
    if not isinstance(theirs, bytes | None) and ours is not None and theirs != ours:
        problem = "the data-bin's text was normalised differently from the checkpoint's"
        raise XalignError(problem, where=data.path, remedy=_PREPARE_AGAIN)


def tokenizer_state(dictionary: Dictionary, model: TokenizerModel | None) -> dict[str, Any]:
    """Dictionary and model, if any, as a checkpoint's ``task_state["tokenizer"]``."""
    symbols = list(dictionary.symbols)
    if model is not None and not isinstance(model, bytes):
        return {"symbols": symbols, Path(model_name(model)).stem: model.to_state()}
    content = np.frombuffer(model or b"", dtype=np.uint8).copy()
    return {"symbols": symbols, "sentencepiece": torch.from_numpy(content)}


def trained_tokenizer(first: Mapping[str, Any], data: DataBin) -> dict[str, Any]:
    """The tokenizer that a trained checkpoint stores: the data-bin's.

    Data of ``fairseq-preprocess`` have no model. Then the tokenizer of the ``first`` checkpoint is used, which has the
    same ids.
    """
    if data.tokenizer_model is None and stored_model(first) is not None:
        return dict(first)
    return tokenizer_state(data.dictionary, data.tokenizer_model)


def stored_model(stored: Mapping[str, Any], where: object = "checkpoint") -> TokenizerModel | None:
    """The model in the result of :func:`tokenizer_state`; None without one."""
    for name, kind in PLAIN.items():
        if name in stored:
            return kind.from_state(stored[name], where)
    content = stored.get("sentencepiece")
    return None if content is None else content.numpy().tobytes() or None  # empty if the data were prepared without one


def data_folders(state: dict[str, Any], where: StrPath) -> Iterator[Path]:
    """Folders that may have a checkpoint's tokenizer: its own, and the data-bins that its options name.

    A relative name is resolved from the checkpoint's folder upwards, and only then from the current folder, which
    may have another data-bin of that name.
    """
    own = Path(where).absolute().parent if Path(where).is_file() else None
    if own is not None:
        yield own
    for name in filter(None, str(checkpoint.options(state, "task").get("data") or "").split(os.pathsep)):
        above = () if own is None or Path(name).is_absolute() else (own, *own.parents)
        yield next((folder / name for folder in above if (folder / name).is_dir()), Path(name))


def _data_bin(state: dict[str, Any], where: StrPath, part: str, has: Callable[[Path], object]) -> DataBin:
    """The first of :func:`data_folders` that has a part of the tokenizer."""
    for folder in data_folders(state, where):
        if folder.is_dir() and has(folder):
            return DataBin(folder)
    remedy = f"put its {DICTIONARY} and {SENTENCEPIECE} into its folder"
    raise XalignError(f"no {part} was found for the checkpoint", where=where, remedy=remedy)
