"""The families of transfer tasks: examples to windows of tokens, hidden states to losses and predictions."""

from xalign_fairseq.transfer.families import classification, parsing, qa, tagging  # noqa: F401  (importing registers)
