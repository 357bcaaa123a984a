"""A pretrained model from wherever it comes: a file or folder of fairseq's, or a Hugging Face folder."""

import os
from pathlib import Path
from typing import Any

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.huggingface import importing
from xalign_fairseq.errors import XalignError

# In a folder of fairseq's: XLM-R's archive has the first, a training run the second.
CHECKPOINTS = ("model.pt", "checkpoint_best.pt")


def read_pretrained(path: str | os.PathLike) -> tuple[dict[str, Any], Path]:
    """A model's weights, options and tokenizer as a checkpoint's content, and where they were read.

    Args:
        path: a checkpoint of fairseq's or of this package (``.pt``); a folder with ``model.pt``, as XLM-R's archive
            is, or with ``checkpoint_best.pt``, as a training run leaves; or a Hugging Face folder of an XLM-R.

    Returns:
        what :func:`xalign_fairseq.encoder.checkpoint.read` gives; and the file, or the Hugging Face folder, for
        messages and for :func:`xalign_fairseq.alignment.vocabulary.load_tokenizer`, which looks beside it.

    Raises:
        XalignError: nothing is there, it is no model of these kinds, it is damaged, or it holds foreign code.

    Example::

        state, where = read_pretrained("xlmr.base")
        encoder, heads = checkpoint.load_encoder(state, where)
        tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=where)
    """
    path = Path(path)
    if not path.is_dir():
        return checkpoint.read(path), path
    for name in CHECKPOINTS:
        if (path / name).is_file():
            return checkpoint.read(path / name), path / name
    if (path / "config.json").is_file():
        return importing.read(path), path
    raise XalignError(
        "the folder is no checkpoint",
        where=path,
        found=", ".join(sorted(each.name for each in path.iterdir())[:8]) or "nothing",
        expected=f"{' or '.join(CHECKPOINTS)} of fairseq's, or a Hugging Face folder with its config.json",
    )
