"""The aligner that reads an encoder's hidden states."""
