"""The XLM-R-compatible encoder: configuration, transformer, heads, passes, checkpoints."""
