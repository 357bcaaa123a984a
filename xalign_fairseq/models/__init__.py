"""The encoder with its heads as a fairseq model."""
