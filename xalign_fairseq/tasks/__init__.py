"""fairseq tasks."""

from xalign_fairseq.tasks import pretraining, transfer  # noqa: F401  (importing registers)
