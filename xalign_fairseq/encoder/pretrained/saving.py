"""Write a model as one file or as a folder, completely or not at all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, atomic_folder, atomic_write, require_free, require_outside
from xalign_fairseq.core.locks import require_no_loss
from xalign_fairseq.data.databin import DICTIONARY
from xalign_fairseq.data.tokenizers.tokenizer_model import write_model
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained import exporting
from xalign_fairseq.encoder.pretrained.huggingface.locate import FILE_ENDINGS
from xalign_fairseq.encoder.pretrained.huggingface.side_files import RECORD, training_record
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import SPM
from xalign_fairseq.encoder.pretrained.reading import find_pretrained, read_pretrained
from xalign_fairseq.encoder.vocabulary import load_tokenizer, tokenizer_state

Save = Callable[[dict[str, Any], StrPath], None]
# Writes a checkpoint's content, with its origin, into a new folder with a name.
Fill = Callable[[dict[str, Any], StrPath, Path, str], None]


@contextmanager
def new_model(out: StrPath, overwrite: bool = False, fill: Fill = exporting.fill) -> Iterator[Save]:
    """Yield a function that writes a checkpoint's content; its second argument is the content's origin.

    ``out`` is a checkpoint, if it ends in ``.pt``; otherwise a folder, by default a Hugging Face folder.
    """
    out = Path(out)
    if out.suffix.lower() in FILE_ENDINGS and out.suffix != ".pt":
        raise XalignError("unknown ending of the model's name", where=out, expected="NAME.pt, or the name of a folder")
    if out.suffix == ".pt":
        require_free(out, overwrite=overwrite)
        with atomic_write(out, "wb") as stream:
            yield lambda state, where: save_checkpoint(state, stream, out)
        return
    require_no_loss(out, overwrite, *exporting.OWN)
    with atomic_folder(out, overwrite) as folder:
        yield lambda state, where: fill(state, where, folder, out.name)


def save_checkpoint(state: dict[str, Any], stream: IO[bytes] | Path, where: StrPath) -> None:
    """Call ``torch.save``, with a clear error for a full disk; torch's own error is about file positions."""
    try:
        torch.save(state, stream)
    except RuntimeError as error:
        found = str(error).split("\n")[0]
        raise XalignError("the checkpoint could not be written", where=where, found=found) from None


def write_checkpoint(path: StrPath, state: dict[str, Any]) -> None:
    """Write a checkpoint completely or not at all, replacing an existing one."""
    with atomic_write(path, "wb") as stream:
        save_checkpoint(state, stream, path)


def convert(model: StrPath, target: StrPath, *, overwrite: bool = False) -> EncoderConfig:
    """Write a pretrained model, such as a Hugging Face folder, in fairseq's form, in float32; returns its sizes.

    ``target`` is a checkpoint with its tokenizer inside, if it ends in ``.pt``; otherwise a folder with
    ``model.pt``, ``dict.txt`` and the tokenizer's model. It is written completely or not at all.
    """
    where = find_pretrained(model)
    require_outside(where, target)
    with new_model(target, overwrite, _fill_archive) as save:
        state, _ = read_pretrained(where)
        encoder, _ = checkpoint.load_encoder(state, where)
        tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=where)
        wide = {_place(each): each.float() if each.is_floating_point() else each for each in state["model"].values()}
        weights = {key: wide[_place(each)] for key, each in state["model"].items()}  # tied ones stay tied
        save(untrained(state, weights, tokenizer_state(tokenizer.dictionary, tokenizer.model)), where)
    return encoder.config


def _place(tensor: Tensor) -> object:
    """Equal for tied tensors."""
    return tensor.data_ptr(), tensor.shape, tensor.stride()


def _fill_archive(state: dict[str, Any], where: StrPath, folder: Path, name: str) -> None:
    """Write the files of a model as XLM-R's archive has them."""
    save_checkpoint(state, folder / "model.pt", name)
    tokenizer = load_tokenizer(state, checkpoint.vocab_size(state), where=where)
    tokenizer.dictionary.save(folder / DICTIONARY)
    if isinstance(tokenizer.model, bytes):
        (folder / SPM).write_bytes(tokenizer.model)
    else:
        write_model(folder, tokenizer.model)


def untrained(state: dict[str, Any], model: dict[str, Tensor], tokenizer: dict[str, Any]) -> dict[str, Any]:
    """A checkpoint's content with these tensors and this tokenizer, without optimiser and statistics."""
    kept = {key: state[key] for key in ("args", "cfg") if state.get(key) is not None}
    task_state = {**(state.get("task_state") or {}), "tokenizer": tokenizer}
    return {**kept, RECORD: dict(training_record(state)), "model": model, "task_state": task_state}
