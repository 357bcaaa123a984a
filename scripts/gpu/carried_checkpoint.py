"""A checkpoint that can be carried from a machine: weights in 16 bits, no optimiser, in parts of limited size."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.files import atomic_write, file_sha256
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.pretrained.huggingface.side_files import RECORD, training_record
from xalign_fairseq.encoder.pretrained.saving import save_checkpoint

PART = 15 * 2**20  # bytes of a file that comes back
JOIN = "cat {name}.part-* > {name}"


def carry(source: Path, out: Path, part: int = PART) -> dict[str, Any]:
    """Write a checkpoint of fairseq-train in 16 bits; in parts ``NAME.part-00``, ``-01``, ... if it is too large.

    What is read of it is all that an aligner and a further training begin with: weights of the encoder and its heads,
    options, tokenizer and labelling method.

    Args:
        source: the checkpoint.
        out: file to write; it and its parts are replaced.
        part: the largest size of a file.

    Returns:
        names of the ``files``, ``bytes`` and ``sha256`` of the whole, and, of parts, the command to ``join`` them.

    Example::

        carry(Path("checkpoint_best.pt"), Path("model.pt"))["join"]  # "cat model.pt.part-* > model.pt"
    """
    state = checkpoint.read(source)
    kept = {key: state[key] for key in ("args", "cfg", "task_state") if state.get(key) is not None}
    out.parent.mkdir(parents=True, exist_ok=True)
    for old in out.parent.glob(f"{out.name}.part-*"):
        old.unlink()
    with atomic_write(out, "wb") as stream:
        save_checkpoint({**kept, RECORD: training_record(state), "model": _halved(state["model"])}, stream, out)
    found = {"files": [out.name], "bytes": out.stat().st_size, "sha256": file_sha256(out)}
    return found if found["bytes"] <= part else {**found, **_split(out, part)}


def _halved(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Weights in float16; a tensor that has two names stays one."""
    made: dict[tuple[int, torch.Size], Tensor] = {}
    for tensor in weights.values():
        made.setdefault((tensor.data_ptr(), tensor.shape), tensor.half() if tensor.is_floating_point() else tensor)
    return {name: made[tensor.data_ptr(), tensor.shape] for name, tensor in weights.items()}


def _split(path: Path, size: int) -> dict[str, Any]:
    names = []
    with open(path, "rb") as stream:
        while content := stream.read(size):
            names.append(f"{path.name}.part-{len(names):02}")
            (path.parent / names[-1]).write_bytes(content)
    path.unlink()
    return {"files": names, "join": JOIN.format(name=path.name)}
