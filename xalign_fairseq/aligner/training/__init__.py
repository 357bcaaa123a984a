"""From raw bitext and a model to a fine-tuned aligner: prepare, train by fairseq-train, choose by dev AER."""
