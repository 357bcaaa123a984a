"""Training by fairseq: the launcher, the optimizer, and fixes for fairseq."""
