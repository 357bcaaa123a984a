"""AdamW whose step is one pass over what a batch has touched; ``registered`` is fairseq's side of it."""
