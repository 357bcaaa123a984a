"""Text to a data-bin."""
