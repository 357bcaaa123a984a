"""fairseq tasks."""

from xalign_fairseq.tasks import pretraining  # noqa: F401  (importing registers)
