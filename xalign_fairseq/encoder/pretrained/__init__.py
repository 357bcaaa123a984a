"""Pre-trained models in and out: e5-small of its package, Hugging Face folders; families, trimming."""
