"""Zero-shot transfer: files to examples, examples to batches, hidden states to predictions and scores; no fairseq."""
