"""Cross-lingual alignment objectives for fairseq: tasks, criterions, models and a word aligner.

This folder is fairseq's ``--user-dir``. Importing it from a fairseq command registers everything; importing it from
plain Python does not import fairseq, so that the aligner and all below it stay light. ``register()`` does the
registration on demand.
"""

import sys

from xalign_fairseq.version import __version__ as __version__


def register() -> None:
    """Apply the fairseq compatibility patches and register all tasks, criterions, models and objectives (idempotent).

    Example::

        import xalign_fairseq
        xalign_fairseq.register()

    Raises:
        XalignError: fairseq is not installed.
    """
    from xalign_fairseq import compat
    from xalign_fairseq.launch.installed import require_fairseq

    require_fairseq()
    compat.apply()

    from xalign_fairseq import criterions, objectives, tasks  # noqa: F401  (importing registers)
    from xalign_fairseq.models import xalign  # noqa: F401
    from xalign_fairseq.optim import registered  # noqa: F401


if "fairseq" in sys.modules:
    register()
