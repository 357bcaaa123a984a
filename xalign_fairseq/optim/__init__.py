"""fairseq optimizers: AdamW whose step is one pass over what a batch has touched."""

from xalign_fairseq.optim import registered  # noqa: F401  (importing registers)
