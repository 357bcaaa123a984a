"""Link scorers in files: parameters in half precision, and a record of their training."""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from xalign_fairseq.core.array_files import ArrayForm, read_arrays, write_arrays
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, nearly
from xalign_fairseq.transport.link_scorer import LinkScorer

PACKAGED = Path(__file__).with_name("e5_small_scorer.npz")
RECORD = "record"  # the key of the record, in JSON


def save_scorer(scorer: LinkScorer, path: StrPath, record: Mapping[str, Any]) -> None:
    """Write a scorer with its record; parameters that enter sums stay in float32."""
    state = {name: value.detach().cpu().numpy() for name, value in scorer.state_dict().items()}
    small = {
        name: value.astype(np.float16) if name.startswith(("similarity.added", "rounds.")) else value
        for name, value in state.items()
    }
    write_arrays(path, {**small, RECORD: np.array(json.dumps(dict(record)))})


def load_scorer(path: StrPath) -> tuple[LinkScorer, dict[str, Any]]:
    """A scorer in evaluation mode, and its record.

    Raises:
        XalignError: there is no such file, or it holds no scorer.
    """
    where = Path(path)
    if not where.is_file():
        raise XalignError("the file of a link scorer does not exist", where=where, found=nearly(where))
    arrays = read_arrays(where, ArrayForm(np.generic), remedy="learn it anew")
    try:
        record: dict[str, Any] = json.loads(str(arrays.pop(RECORD)))
        return scorer_of_state({name: torch.from_numpy(array) for name, array in arrays.items()}), record
    except (ValueError, KeyError, RuntimeError, TypeError, IndexError, RecursionError) as error:
        raise XalignError("the file holds no link scorer", where=where, found=error) from None


def packaged_record() -> dict[str, Any]:
    """The training record of the packaged scorer."""
    return load_scorer(PACKAGED)[1]


def scorer_of_state(state: Mapping[str, torch.Tensor]) -> LinkScorer:
    """A scorer with such parameters, in float32 and in evaluation mode.

    Raises:
        KeyError, RuntimeError: they are not those of a scorer.
    """
    dim, rank = state["similarity.added"].shape
    scorer = LinkScorer(
        dim,
        [int(layer) for layer in state["layer_numbers"]],
        [int(layer) for layer in state["similarity_numbers"]],
        rank,
        len(state["rounds.0.first.bias"]),
    )
    wide = {name: value.float() if value.is_floating_point() else value for name, value in state.items()}
    scorer.load_state_dict(wide)
    return scorer.eval().requires_grad_(False)


@lru_cache(maxsize=4)
def shared_scorer(path: str) -> LinkScorer:
    """The scorer of a file, read once."""
    return load_scorer(path)[0]


@lru_cache(maxsize=4)
def scorer_name(path: str) -> str:
    """How a signature names a file's scorer: by its content; ``packaged`` for an empty path.

    Example::

        scorer_name("runs/scorer.npz")  # "scorer-0123abcd"
    """
    where = Path(path) if path else PACKAGED
    content = hashlib.sha256(where.read_bytes()).hexdigest() if where.is_file() else "missing"
    return f"{where.stem if path else 'packaged'}-{content[:8]}"
