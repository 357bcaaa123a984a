"""Training by fairseq: the launcher, the optimizer, the report of a run, and fixes for fairseq."""
