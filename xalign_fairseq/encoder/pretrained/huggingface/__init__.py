"""Convert Hugging Face folders to checkpoints of this package, and back."""
