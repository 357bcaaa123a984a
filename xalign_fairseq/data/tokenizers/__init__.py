"""Dictionaries, tokenizers and their vocabularies."""
