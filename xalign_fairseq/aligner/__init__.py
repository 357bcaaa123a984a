"""Sentence pairs to links with probabilities, from a checkpoint, without fairseq."""
