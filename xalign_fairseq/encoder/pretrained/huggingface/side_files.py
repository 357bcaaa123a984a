"""What Hugging Face's models have no place for, in two files beside them: options, and the heads of objectives."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.version import __version__
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.checkpoint_form import TaskState
from xalign_fairseq.encoder.pretrained.huggingface.record import RECORD, training_record
from xalign_fairseq.encoder.pretrained.huggingface.weights import read_tensors, write_tensors

OPTIONS = "xalign.json"
HEADS = "xalign_heads.safetensors"
GROUPS = ("model", "criterion", "task")
KEPT = ("transfer", "labelling", *checkpoint.LASTING)  # of a checkpoint's task state


class SideFile(TypedDict):
    """What an export of this package writes beside a model; the last by the name of :data:`RECORD`."""

    cfg: dict[str, dict[str, Any]]
    task_state: TaskState
    training_record: dict[str, Any]


def write(state: dict[str, Any], heads: Mapping[str, Tensor], folder: Path) -> None:
    """Write a checkpoint's options, the record of its training and its objectives' heads into an exported folder."""
    task_state = state.get("task_state") or {}
    content = {
        "xalign_fairseq": __version__,
        "cfg": {group: plain(checkpoint.options(state, group)) for group in GROUPS} if state.get("cfg") else {},
        "task_state": {key: task_state[key] for key in KEPT if key in task_state},
        RECORD: training_record(state),
    }
    write_json(folder / OPTIONS, content)
    if heads:
        write_tensors(folder / HEADS, heads)


def take_back(state: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Add to an imported state what :func:`write` left in its folder; the sizes stay those of ``config.json``."""
    path = folder / OPTIONS
    if path.is_file():
        content = read_json(path, SideFile)
        cfg, task_state, record = content["cfg"], content["task_state"], content["training_record"]
        state["cfg"] = {**cfg, "model": {**cfg.get("model", {}), **state["cfg"]["model"]}}
        state["task_state"] = {**task_state, **state["task_state"]}
        state[RECORD] = record
    if (folder / HEADS).is_file():
        heads = read_tensors(folder / HEADS)
        wrong = sorted(name for name in heads if not name.startswith("heads."))
        if wrong:
            raise XalignError("the file holds other parameters than heads", where=folder / HEADS, found=wrong[:3])
        state["model"].update(heads)
    return state


def plain(value: Any) -> Any:
    """Options as JSON has them, without files and folders of the machine that it was."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items() if _is_plain(each)}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value if _is_plain(each)]
    return value


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return os.sep not in value
    return value is None or isinstance(value, bool | int | float | list | tuple | dict)
