"""Encoders whose layers are modules of transformers, run layer by layer as our own encoder's are."""
