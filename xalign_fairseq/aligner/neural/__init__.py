"""The aligner that reads hidden states of an encoder."""
