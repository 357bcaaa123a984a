"""The files of a Hugging Face folder: JSON and tensors, read without running code in them."""

import logging
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

import safetensors.torch
from torch import Tensor

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, is_file_name, usual_mode
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.encoder.checkpoint import load_pickled

logger = logging.getLogger(__name__)


class Index(TypedDict):
    """The index of a model's shards."""

    weight_map: dict[str, str]


SAFETENSORS = "model.safetensors"
# In order of preference.
WEIGHTS = (SAFETENSORS, "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")


def read_weights(folder: Path) -> dict[str, Tensor]:
    """All tensors of a model by their Hugging Face names, from one file or from all shards that its index names."""
    path = next((folder / name for name in WEIGHTS if (folder / name).is_file()), None)
    if path is None:
        found, expected = sorted(each.name for each in folder.iterdir()), f"one of {', '.join(WEIGHTS)}"
        raise XalignError("the folder has no weights", where=folder, found=found, expected=expected)
    if path.suffix != ".json":
        return read_tensors(path)
    names = read_json(path, Index)["weight_map"].values()
    if not all(map(is_file_name, names)):
        raise XalignError("the index of the model's shards is damaged", where=path)
    parts = [folder / name for name in sorted(set(names))]
    absent = [part.name for part in parts if not part.is_file()]
    if absent or not parts:
        raise XalignError(f"the model's shards are missing: {', '.join(absent) or 'all'}", where=path)
    return {name: value for part in parts for name, value in read_tensors(part).items()}


def require_tensors(
    tensors: Mapping[str, Tensor], expected: Mapping[str, tuple[int, ...] | None], own: str, model: str, where: object
) -> None:
    """Raise :class:`XalignError` unless the expected tensors are there; log others, which are not used.

    Args:
        expected: shapes by name; None: any.
        own: the pattern of names of the encoder itself, of which there may be no others.
        model: the kind of model, for the error.
    """
    missing = sorted(expected.keys() - tensors.keys())
    rest = sorted(tensors.keys() - expected.keys())
    unknown = [name for name in rest if re.match(own, name)]
    if missing or unknown:
        problem = f"the folder's parameters do not match {model} and its config.json"
        found = f"{len(missing)} missing {missing[:3]}, {len(unknown)} unknown {unknown[:3]}"
        raise XalignError(problem, where=where, found=found)
    for name, shape in expected.items():
        if shape is not None and tensors[name].shape != shape:
            problem = "the size of a parameter differs from config.json"
            raise XalignError(problem, where=f"{where}, {name}", found=tuple(tensors[name].shape), expected=shape)
    if rest:
        counts = Counter(re.sub(r"(cls\.[^.]*)?.*", r"\1", name) or name.split(".")[0] for name in rest)
        parts = ", ".join(f"{name} ({counted(number, 'tensor')})" for name, number in counts.items())
        logger.warning("not used from %s: %s", where, parts)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of one file: of safetensors, or a state dict of ``torch.save``."""
    if path.suffix != ".safetensors":
        found = load_pickled(path)
        if not isinstance(found, dict) or not all(isinstance(value, Tensor) for value in found.values()):
            raise XalignError("the file is not a state dict", where=path, expected="tensors by their names")
        return dict(found)
    try:
        return safetensors.torch.load_file(path)
    except safetensors.SafetensorError as error:
        raise XalignError("the file is not a safetensors file, or it is damaged", where=path, found=error) from None


def write_tensors(path: StrPath, tensors: Mapping[str, Tensor]) -> None:
    """Write tensors as a safetensors file, marked as torch's, which Hugging Face's loader asks for."""
    # safetensors refuses views of one storage, such as tied weights.
    whole = {name: value.detach().clone().contiguous() for name, value in tensors.items()}
    try:
        safetensors.torch.save_file(whole, path, metadata={"format": "pt"})
    except safetensors.SafetensorError as error:
        raise XalignError("the weights could not be written", where=path, found=error) from None
    usual_mode(path)  # safetensors makes the file readable only by its owner
