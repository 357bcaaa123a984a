"""AdamW with a step in one pass over the rows of a batch; ``registered`` is fairseq's side of it."""
