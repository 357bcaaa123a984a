"""A model written as one file or as a folder, whole or not at all."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import torch

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import atomic_folder, atomic_write
from xalign_fairseq.encoder.pretrained import exporting
from xalign_fairseq.encoder.pretrained.huggingface.weights import require_safetensors

Save = Callable[[dict[str, Any], str | os.PathLike], None]


@contextmanager
def new_model(out: str | os.PathLike, overwrite: bool = False) -> Iterator[Save]:
    """Give the function that writes a checkpoint's content and is told where that was read.

    Args:
        out: a checkpoint, if it ends in ``.pt``; else a Hugging Face folder, which transformers loads too
            (:func:`xalign_fairseq.encoder.pretrained.exporting.export`).
        overwrite: replace what is there, once the new model is whole.

    Raises:
        XalignError: ``out`` exists already; the disk is full; or Hugging Face's models have no place for the encoder.

    Example::

        with new_model("small.pt") as save:
            save(trim(*read_pretrained("xlmr.base"), ["train.de", "train.en"]), "xlmr.base")
    """
    out = Path(out)
    if out.suffix == ".pt":
        require_new(out, overwrite)
        with atomic_write(out, "wb") as stream:
            yield lambda state, where: save_checkpoint(state, stream, out)
        return
    require_safetensors(out)
    with atomic_folder(out, overwrite) as folder:
        yield lambda state, where: exporting.fill(state, where, folder, out.name)


def require_new(checkpoint: str | os.PathLike, overwrite: bool = False) -> None:
    """Raise :class:`XalignError` if a checkpoint is there that is not to be replaced."""
    if Path(checkpoint).exists() and not overwrite:
        remedy = ("choose another name, or replace it by", Parameter("overwrite"))
        raise XalignError("the checkpoint exists already", where=checkpoint, remedy=remedy)


def save_checkpoint(state: dict[str, Any], stream: IO[bytes] | Path, where: str | os.PathLike) -> None:
    """``torch.save``, of which a full disk is told as such: torch hides it behind an error about positions."""
    try:
        torch.save(state, stream)
    except RuntimeError as error:
        found = str(error).split("\n")[0]
        remedy = "most often the disk is full: free some space, and run the command again"
        raise XalignError("the checkpoint could not be written", where=where, found=found, remedy=remedy) from None
