"""Hugging Face's folders turned into checkpoints of this package, and back."""
