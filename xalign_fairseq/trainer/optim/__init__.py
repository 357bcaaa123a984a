"""AdamW with a step in one pass over the rows of a batch; ``registered`` is the interface to fairseq."""
