"""Metrics of zero-shot transfer, their signatures, seeds and significance; numpy alone, no fairseq."""
