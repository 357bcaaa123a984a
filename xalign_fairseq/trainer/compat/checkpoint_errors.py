"""The error for a file that is not a checkpoint, or has foreign pickled code, names the file.

Why: fairseq shows torch's errors, such as ``KeyError: 101``; for foreign code, torch suggests disabling
``weights_only``.
Touches: the errors of ``fairseq.checkpoint_utils.load_checkpoint_to_cpu``.
Can go: when fairseq says which file could not be read, and why.
"""

from typing import Any

from xalign_fairseq.trainer.compat.patching import Function, instead, wrapping


@instead
def _explained(load: Function, path: str, *args: object, **kwargs: object) -> Any:
    try:
        return load(path, *args, **kwargs)
    except Exception:
        from xalign_fairseq.encoder.checkpoint import read

        read(path)  # raises XalignError, unless fairseq's error has another cause
        raise


UNIT = wrapping(
    "checkpoint errors",
    "fairseq passes on torch's errors about files that are not checkpoints",
    "fairseq.checkpoint_utils",
    "load_checkpoint_to_cpu",
    _explained,
    lacks="except Exception",
)
