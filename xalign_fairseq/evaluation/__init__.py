"""Metrics of zero-shot transfer, their signatures, seeds and significance; only with numpy, without fairseq."""
