"""Encoders whose layers transformers runs."""
