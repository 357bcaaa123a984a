"""The allow-list for loading fairseq's checkpoints with ``weights_only=True``.

Why: torch 2.6 and newer refuse pickled globals outside their list; fairseq's checkpoints have a few harmless ones.
Touches: torch's process-wide list of safe globals. ``weights_only`` is never switched off, so a checkpoint with foreign
pickled code is still refused.
Can go: when fairseq has its own list, or pickles only tensors and plain containers.
"""

import torch

from xalign_fairseq.encoder.checkpoint import METERS, allow_list
from xalign_fairseq.trainer.compat.patching import FairseqPatch, source_has


def needed() -> bool:
    """Whether fairseq leaves ``weights_only`` to torch's default."""
    from fairseq import checkpoint_utils

    return not source_has(checkpoint_utils.load_checkpoint_to_cpu, "weights_only")


def install() -> None:
    """Add the list to torch's."""
    from fairseq.logging import meters

    torch.serialization.add_safe_globals(allow_list({name: getattr(meters, name) for name in METERS}))


UNIT = FairseqPatch(
    "checkpoint allow-list",
    f"torch {torch.__version__} loads weights only; fairseq's checkpoints also hold Namespace, meters, numpy scalars",
    needed,
    install,
)
