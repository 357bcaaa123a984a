"""Two files next to a Hugging Face model: options, and the heads of objectives."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.version import __version__
from xalign_fairseq.data.databin import Manifest
from xalign_fairseq.data.tokenizers.dictionary import SPECIALS, Dictionary
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.huggingface.weights import read_tensors, write_tensors

RECORD = "training_record"  # in a checkpoint: the record of a model imported from an export


def training_record(state: dict[str, Any]) -> dict[str, Any]:
    """The facts of a training, by name; empty for a checkpoint without them.

    Folders and files appear only by name, so that an exported model has no paths of a machine.
    """
    if RECORD in state:
        made: dict[str, Any] = state[RECORD]
        return made
    if not state.get("optimizer_history"):
        return {}
    criterion, task, common, optimization, saving = (
        checkpoint.options(state, group) for group in ("criterion", "task", "common", "optimization", "checkpoint")
    )
    objectives = [name for name in str(criterion.get("objectives") or "").split(",") if name]
    started = checkpoint.options(state).get("init_checkpoint") or saving.get("finetune_from_model")
    best = (state.get("extra_state") or {}).get("best")
    record = {
        "started from": Path(str(started)).name if started else None,
        "objectives": {name: criterion.get(f"{name}_weight", 1.0) for name in objectives},
        "fine-tuned on": ((state.get("task_state") or {}).get("transfer") or {}).get("benchmark"),
        "updates": state["optimizer_history"][-1].get("num_updates"),
        "items in batches": _total(state, "bsz"),
        "tokens in batches": _total(state, "wpb"),
        "learning rate": (list(optimization.get("lr") or []) or [None])[0],
        "seed": common.get("seed"),
        "best on development data": {str(saving.get("best_checkpoint_metric")): float(best)}
        if best is not None
        else None,
        "data": _data_sizes(str(task.get("data") or ""), state),
    }
    return {name: value for name, value in record.items() if value not in (None, {}, [])}


def _total(state: dict[str, Any], name: str) -> int | None:
    metrics = dict((state.get("extra_state") or {}).get("metrics") or {}).get("default") or []
    found = [values for _, key, _, values in metrics if key == name]
    return int(found[0]["sum"]) if found else None


def _data_sizes(named: str, state: dict[str, Any]) -> dict[str, int]:
    """The number of training sentences of each language pair and language, from data-bins that still exist.

    A data-bin whose dictionary differs from the checkpoint's belongs to another run and is skipped.
    """
    symbols = ((state.get("task_state") or {}).get("tokenizer") or {}).get("symbols")
    digest = None if symbols is None else Dictionary(symbols[len(SPECIALS) :]).digest
    sizes: dict[str, int] = {}
    for folder in filter(None, named.split(os.pathsep)):
        manifest = Path(folder) / "manifest.json"
        found = read_json(manifest, Manifest) if manifest.is_file() else Manifest()
        if digest is not None and found.get("tokenizer", {}).get("digest", digest) != digest:
            continue
        for entry in (*found.get("pairs", []), *found.get("mono", [])):
            if entry["split"] == "train":
                name = entry.get("lang") or f"{entry.get('src')}-{entry.get('tgt')}"
                sizes[name] = sizes.get(name, 0) + (entry.get("sentences") or entry.get("pairs") or 0)
    return sizes


OPTIONS = "xalign.json"
HEADS = "xalign_heads.safetensors"
GROUPS = ("model", "criterion", "task")
KEPT = ("transfer", "labelling", *checkpoint.LASTING)  # parts of a checkpoint's task state


class SideFile(TypedDict):
    """The files that an export writes next to a model; the last has the name :data:`RECORD`."""

    cfg: dict[str, dict[str, Any]]
    task_state: checkpoint.TaskState
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
    """Add the files that :func:`write` wrote to an imported state; the sizes stay those of ``config.json``."""
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
            raise XalignError("the file has parameters that are not heads", where=folder / HEADS, found=wrong[:3])
        state["model"].update(heads)
    return state


def plain(value: object) -> Any:
    """Options as JSON, without files and folders of the training machine."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items() if _is_plain(each)}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value if _is_plain(each)]
    return value


def _is_plain(value: object) -> bool:
    if isinstance(value, str):
        return os.sep not in value
    return value is None or isinstance(value, bool | int | float | list | tuple | dict)
