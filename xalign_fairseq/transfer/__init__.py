"""Zero-shot transfer: files to examples to batches, hidden states to scores; fairseq-train fine-tunes."""
