"""Sinkhorn's algorithm on batches of ragged similarity matrices."""

from xalign_fairseq.transport.sinkhorn.reference import sinkhorn

__all__ = ["sinkhorn"]
