"""Trimmed models as files: written from a model, and put back into the whole vocabulary."""

import os
from collections.abc import Sequence

from xalign_fairseq.core.files import require_outside
from xalign_fairseq.core.text.containers import file_of
from xalign_fairseq.data.tokenizers.trimming import FLOOR
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import new_model
from xalign_fairseq.encoder.pretrained.trimming import summary, trim, untrim


def write_trimmed(
    model: str | os.PathLike[str],
    text: Sequence[str],
    out: str | os.PathLike[str],
    *,
    floor: int = FLOOR,
    overwrite: bool = False,
    progress: bool = False,
) -> str:
    """Write a model with the pieces that a text needs; its size before and after, in words.

    Args:
        model: whatever can be read as an encoder.
        text: files, a sentence a line.
        out: a checkpoint if it ends in ``.pt``, else a Hugging Face folder.
        floor: keep so many of the most frequent pieces in any case.
        overwrite: replace ``out``.
        progress: show a bar.

    Raises:
        XalignError: ``out`` exists, or would replace the model or a text.

    Example::

        write_trimmed("xlmr.base", ["train.de", "train.en"], "small.pt")
    """
    for each in text:
        require_outside(file_of(each), out)
    with new_model(out, overwrite) as save:
        state, where = read_pretrained(model)
        require_outside(where, out)
        small = trim(state, where, text, floor=floor, progress=progress)
        save(small, where)
    return summary(small, state)


def write_untrimmed(
    model: str | os.PathLike[str],
    original: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    overwrite: bool = False,
) -> str:
    """Write a trimmed model with the whole vocabulary of its original again; its size before and after, in words.

    Example::

        write_untrimmed("trained.pt", "xlmr.base", "whole.pt")
    """
    with new_model(out, overwrite) as save:
        (state, where), (whole, whole_where) = (read_pretrained(each) for each in (model, original))
        for read in (where, whole_where):
            require_outside(read, out)
        joined = untrim(state, where, whole, whole_where)
        save(joined, where)
    return summary(joined, state)
