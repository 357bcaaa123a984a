"""The error for a file that is not a checkpoint, or has foreign pickled code, names the file.

Why: fairseq passes on torch's errors, such as ``KeyError: 101``; for foreign code, torch advises to switch
``weights_only`` off.
Touches: the errors of ``fairseq.checkpoint_utils.load_checkpoint_to_cpu``.
Can go: when fairseq says which file could not be read, and why.
"""

import functools
from collections.abc import Callable
from typing import Any

from xalign_fairseq.trainer.compat.patching import replace, source_has

NAME = "checkpoint errors"
WHY = "fairseq passes on torch's errors about files that are not checkpoints"


def needed() -> bool:
    """Whether fairseq still lets torch's errors through."""
    from fairseq import checkpoint_utils

    return not source_has(checkpoint_utils.load_checkpoint_to_cpu, "except Exception")


def install() -> None:
    """Inspect a file that could not be loaded, to say what it is."""
    from fairseq import checkpoint_utils

    replace(checkpoint_utils, "load_checkpoint_to_cpu", NAME, _explained)


def _explained(load: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    @functools.wraps(load)
    def load_checkpoint_to_cpu(path: str, *args: object, **kwargs: object) -> dict[str, Any]:
        try:
            return load(path, *args, **kwargs)
        except Exception:
            from xalign_fairseq.encoder.checkpoint import read

            read(path)  # raises XalignError, unless fairseq's complaint was about something else
            raise

    return load_checkpoint_to_cpu
