"""The families of transfer tasks: how examples become windows of tokens, and hidden states losses and predictions."""

from xalign_fairseq.transfer.families import classification, parsing, qa, tagging  # noqa: F401  (importing registers)
