"""Small model files: a low-rank change of another model's weights, and a link scorer, both learned from gold links.

``e5-small-gold`` is the packaged one, a change of ``e5-small``.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.core.array_files import ArrayForm, read_arrays, write_arrays
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.encoder.pretrained.huggingface.side_files import RECORD

NAME = "e5-small-gold"
PACKAGED = Path(__file__).with_name("e5_small_gold.npz")
SUFFIX = ".npz"
ENCODER, SCORER = "encoder.", "heads.link_scorer."
UP, DOWN = "/up", "/down"
Changes = Mapping[str, tuple[Tensor, Tensor]]


def is_low_rank(path: StrPath) -> bool:
    """Whether a path is a small model file."""
    return Path(path).suffix == SUFFIX and not Path(path).is_dir()


def write_low_rank(path: StrPath, changes: Changes, scorer: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
    """Write a model's changes in half precision, and its link scorer in its own precision.

    ``changes``: matrices (O, r) and (r, I), whose product is added to a parameter. ``record["model"]`` names the model.
    """
    halves = {
        f"{name}{end}": each for name, pair in changes.items() for end, each in zip((UP, DOWN), pair, strict=True)
    }
    small = {name: each.detach().half() for name, each in halves.items()}
    heads = {f"{SCORER}{name}": each.detach() for name, each in scorer.items()}
    arrays = {name: each.cpu().numpy() for name, each in {**small, **heads}.items()}
    write_arrays(path, {**arrays, RECORD: np.array(json.dumps(dict(record)))})


def read_changes(path: StrPath) -> tuple[dict[str, Any], Changes, dict[str, Tensor]]:
    """Record, changes (in half precision) and scorer that :func:`write_low_rank` wrote."""
    arrays = read_arrays(path, ArrayForm(np.generic), remedy="train it again")
    try:
        record = record_of(arrays)
        found = {key: torch.from_numpy(each) for key, each in arrays.items() if key != RECORD}
        names = [key.removesuffix(UP) for key in found if key.endswith(UP)]
        changes = {name: (found[f"{name}{UP}"].float(), found[f"{name}{DOWN}"].float()) for name in names}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise XalignError("the file holds no change of a model", where=path, found=error) from None
    return record, changes, {key.removeprefix(SCORER): found[key] for key in found if key.startswith(SCORER)}


def read_low_rank(path: StrPath, read: Callable[[str], tuple[dict[str, Any], Path]]) -> tuple[dict[str, Any], Path]:
    """Read a small model file as the content of a checkpoint, with its scorer among the heads.

    ``read`` loads the other model by name or path, and also returns where it was found.
    """
    record, changes, scorer = read_changes(path)
    try:
        state, where = read(record["model"])
        weights = state["model"]
        for name, pair in changes.items():
            weights[f"{ENCODER}{name}"] = torch.addmm(weights[f"{ENCODER}{name}"], *pair)
        weights |= {f"{SCORER}{name}": each for name, each in scorer.items()}
        state[RECORD] = {**state.get(RECORD, {}), "changed": f"by gold links of {', '.join(record['sets'])}"}
    except XalignError:  # of the other model
        raise
    except (ValueError, KeyError, RuntimeError, TypeError, RecursionError) as error:
        raise XalignError("the file holds no change of a model", where=path, found=error) from None
    return state, where


def packaged_sets() -> set[str]:
    """The digests of the gold sets that ``e5-small-gold`` was trained on."""
    record = record_of(read_arrays(PACKAGED, {RECORD: ArrayForm(np.str_)}))
    return {each["sha256"] for each in record["sets"].values()}


def record_of(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(str(arrays[RECORD]))
    return found
