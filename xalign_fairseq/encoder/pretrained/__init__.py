"""Pre-trained models: the packaged e5-small, Hugging Face folders, families, trimming."""
