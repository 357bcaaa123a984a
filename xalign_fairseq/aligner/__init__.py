"""Align the words of sentence pairs, with a probability for each link; fairseq is not needed."""
