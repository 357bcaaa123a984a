"""Sinkhorn's algorithm on batches of ragged similarity matrices."""

from xalign_fairseq.alignment.sinkhorn.reference import sinkhorn

__all__ = ["sinkhorn"]
