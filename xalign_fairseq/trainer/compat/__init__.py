"""Fixes for fairseq 0.12 on current Python, torch and numpy, one unit each; features are in the trainer.

A unit is a module whose ``UNIT`` detects whether these versions have the problem, and installs the fix; repeating is
safe. Nothing is patched on disk, and importing this package imports neither torch nor fairseq.
"""

import importlib
import warnings

from xalign_fairseq.trainer.compat.patching import FairseqPatch, PatchStatus

UNITS = (
    "input_errors",
    "safe_globals",
    "broadcast",
    "background_consumer",
    "bf16_tpu",
    "cpu_processes",
    "cpu_clipping",
    "cpu_half",
    "torchrun",
    "checkpoint_errors",
    "checkpoint_copies",
)

NOT_THERE = "this command, or these versions of fairseq, torch and numpy, do not have the problem"
# Beginnings of warnings about how fairseq calls torch and hydra, which its users cannot change.
FOR_DEVELOPERS = (
    "`torch.jit.script` is deprecated",  # from torch 2.14 on
    "`broadcast_buffers` is deprecated",
    r"`torch.cuda.amp.\w+\(args...\)` is deprecated",
    "'pin_memory' argument is set as true but no accelerator",
    r"hydra.experimental.\w+\(\) is no longer experimental",
    "The version_base parameter is not specified",
    "In 'config': Usage of deprecated keyword",
    "'config' is validated against ConfigStore schema",
    "The strict flag in the compose API is deprecated",
)
_statuses: list[PatchStatus] = []


def apply() -> list[PatchStatus]:
    """Install every patch that the installed versions need, and return their status; repeating is safe."""
    if not _statuses:
        for message in FOR_DEVELOPERS:
            warnings.filterwarnings("ignore", rf"\s*{message}")
        importlib.import_module("fairseq")
        found = []
        for name in UNITS:
            unit: FairseqPatch = importlib.import_module(f"{__name__}.{name}").UNIT
            needed = unit.needed()
            if needed:
                unit.install()
            found.append(PatchStatus(unit.name, *(("active", unit.why) if needed else ("not needed", NOT_THERE))))
        _statuses.extend(found)
    return list(_statuses)
