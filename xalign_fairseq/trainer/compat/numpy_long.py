"""``numpy.compat.long``, which numpy 2 no longer has.

Why: ``fairseq.data.token_block_dataset`` and ``language_pair_dataset`` use it as a dtype.
Touches: adds the module attribute ``numpy.compat`` with ``long = int``, only where it is missing.
Can go: when fairseq writes ``int`` or ``np.int64`` there.
"""

import types

import numpy

from xalign_fairseq.trainer.compat.patching import FairseqPatch


def needed() -> bool:
    """Whether this numpy lacks the name."""
    return not hasattr(getattr(numpy, "compat", None), "long")


def install() -> None:
    """Supply the name."""
    if needed():
        module = types.ModuleType("numpy.compat", "Supplied by xalign_fairseq for fairseq.")
        module.__dict__["long"] = int
        numpy.__dict__["compat"] = module


UNIT = FairseqPatch(
    "numpy.compat.long",
    f"numpy {numpy.__version__} has no numpy.compat.long, which fairseq's token blocks and language pairs use",
    needed,
    install,
)
