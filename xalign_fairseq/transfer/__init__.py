"""Zero-shot transfer without fairseq: files to examples to batches, hidden states to predictions and scores."""
