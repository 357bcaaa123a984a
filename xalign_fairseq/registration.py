"""Registers the package with a fairseq command: fixes, trainer, tasks, criterions and models."""


def register() -> None:
    """Apply the fixes for fairseq, install the trainer, and register all tasks, criterions, models and objectives.

    A second call does nothing.

    Example::

        >>> import xalign_fairseq
        >>> xalign_fairseq.register()
    """
    from xalign_fairseq.core.installation import require_fairseq
    from xalign_fairseq.trainer import compat

    require_fairseq()
    compat.apply()

    from xalign_fairseq.trainer import trainer

    trainer.install()

    from xalign_fairseq import criterions, objectives, tasks  # noqa: F401  (importing registers)
    from xalign_fairseq.models import xalign  # noqa: F401
    from xalign_fairseq.trainer.optim import registered  # noqa: F401
