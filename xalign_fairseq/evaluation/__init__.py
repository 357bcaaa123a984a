"""Metrics of zero-shot transfer, with signatures, seeds and significance; needs no fairseq."""
