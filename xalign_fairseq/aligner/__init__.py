"""Sentence pairs in, links with probabilities out: from a checkpoint, and without fairseq."""
