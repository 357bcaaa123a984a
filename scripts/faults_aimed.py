#!/usr/bin/env python3
"""fairseq-train that meets a fault at a chosen point of its own work, without luck.

usage: faults_aimed.py POINT NUMBER OPTION ...

What follows POINT and NUMBER is fairseq-train's. The points of a kill are in the middle of writing a checkpoint:
fairseq saves it under ``NAME.pt.tmp``, renames that, and copies it to checkpoint_best.pt and checkpoint_last.pt. NUMBER
is the time that the point is met, from 1 on. Kills between two operations are of scripts/faults_operations.py.
"""

import io
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

LAST = "checkpoint_last.pt"
_left = 0


def die(*given: object) -> None:
    """As the system ends a process that has taken too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def _met() -> bool:
    """Whether this is the time that was chosen."""
    global _left
    _left -= 1
    return _left == 0


def save_half() -> None:
    """Half of the checkpoint is in the temporary file."""
    import torch

    save = torch.save

    def half(state: Any, stream: Any, *args: Any, **options: Any) -> None:
        if not _met():
            return save(state, stream, *args, **options)
        whole = io.BytesIO()
        save(state, whole, *args, **options)
        stream.write(whole.getvalue()[: len(whole.getvalue()) // 2])
        stream.flush()
        return die()

    torch.save = half


def copy_half() -> None:
    """Half of the copy is in its temporary file."""
    _copying(lambda source, out: None)


def in_place() -> None:
    """Half of the copy is in checkpoint_last.pt itself, as fairseq alone would leave it."""

    def damage(source: Any, out: Any) -> None:
        content = Path(source.name).read_bytes()
        Path(source.name).with_name(LAST).write_bytes(content[: len(content) // 2])

    _copying(damage)


def _copying(before: Callable[[Any, Any], object]) -> None:
    copy = shutil.copyfileobj

    def half(source: Any, out: Any, *length: int) -> None:
        if not str(getattr(source, "name", "")).endswith(".pt") or not _met():
            return copy(source, out, *length)
        content = source.read()
        out.write(content[: len(content) // 2])
        out.flush()
        before(source, out)
        return die()

    shutil.copyfileobj = half


def nan_losses() -> None:
    """The first objective's loss is not a number in every update from this one on."""
    from fairseq.criterions import FairseqCriterion

    build = FairseqCriterion.__init__

    def built(self: Any, task: Any) -> None:
        build(self, task)
        forward = self.forward

        def spoilt(model: Any, sample: Any, *args: Any, **options: Any) -> Any:
            if model.training and (_met() or _left < 0):
                objective = self.active[0]
                real = objective.forward

                def nan(step: Any) -> Any:
                    loss = real(step)
                    loss.total = loss.total * float("nan")
                    return loss

                objective.forward = nan
                try:
                    return forward(model, sample, *args, **options)
                finally:
                    objective.forward = real
            return forward(model, sample, *args, **options)

        self.forward = spoilt

    FairseqCriterion.__init__ = built


KILLS: dict[str, Callable[[], None]] = {
    "half saved": save_half,
    "half copied": copy_half,
    "half copied in place": in_place,
}
"""Where a run is killed."""
POINTS = {**KILLS, "nan": nan_losses}
"""All that can be chosen."""


def main() -> None:
    """Become fairseq-train."""
    global _left
    point, number, *options = sys.argv[1:]
    _left = int(number)
    import fairseq_cli.train  # its own first, as in the command

    POINTS[point]()
    sys.argv = ["fairseq-train", *options]
    fairseq_cli.train.cli_main()


if __name__ == "__main__":
    main()
