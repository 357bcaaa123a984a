"""A pretrained model written as a checkpoint of this package, or as a folder like XLM-R's archive."""

import os
from pathlib import Path
from typing import Any

import torch

from xalign_fairseq.alignment.vocabulary import load_tokenizer
from xalign_fairseq.data.databin import DICTIONARY
from xalign_fairseq.data.tokenizer_model import write_model
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.huggingface.vocabularies import SPM
from xalign_fairseq.encoder.pretrained import read_pretrained
from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import atomic_folder, atomic_write


def convert(
    model: str | os.PathLike, target: str | os.PathLike, *, revision: str | None = None, overwrite: bool = False
) -> EncoderConfig:
    """Write a pretrained model, such as a Hugging Face folder, in fairseq's form, in float32.

    Args:
        model: whatever :func:`xalign_fairseq.encoder.pretrained.read_pretrained` reads.
        target: a file, if it ends in ``.pt``: a checkpoint with its tokenizer inside. Else a folder, which gets it as
            ``model.pt``, and ``dict.txt`` and the tokenizer's model beside it. It appears whole or not at all.
        revision: of a model of the hub.
        overwrite: replace an existing target.

    Returns:
        the sizes of the encoder.

    Raises:
        XalignError: the target exists, or the model can't be read.

    Example::

        convert("FacebookAI/xlm-roberta-base", "xlmr.pt")
        encoder, _ = checkpoint.load_encoder(checkpoint.read("xlmr.pt"))
    """
    target = Path(target)
    if target.suffix == ".pt":
        if target.exists() and not overwrite:
            raise XalignError(
                "the checkpoint exists already and was left as it is", where=target,
                next="choose another name, or pass --overwrite to replace it",
            )  # fmt: skip
        with atomic_write(target, "wb") as stream:
            state, config = _read(model, revision)[:2]
            torch.save(state, stream)
        return config
    with atomic_folder(target, overwrite) as folder:
        state, config, where = _read(model, revision)
        torch.save(state, folder / "model.pt")
        tokenizer = load_tokenizer(state, config.vocab_size, where=where)
        tokenizer.dictionary.save(folder / DICTIONARY)
        if isinstance(tokenizer.model, bytes):
            (folder / SPM).write_bytes(tokenizer.model)  # by the name that it has in XLM-R's archive
        else:
            write_model(folder, tokenizer.model)
    return config


def _read(model: str | os.PathLike, revision: str | None) -> tuple[dict[str, Any], EncoderConfig, Path]:
    state, where = read_pretrained(model, revision)
    encoder, _ = checkpoint.load_encoder(state, where)
    return state, encoder.config, where
