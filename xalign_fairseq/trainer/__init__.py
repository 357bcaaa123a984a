"""Training by fairseq: one launcher, the optimizer, the report of a run, and fixes for fairseq."""
