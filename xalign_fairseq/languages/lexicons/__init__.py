"""Bilingual dictionaries: their formats, and lexicons of subword ids made from them."""
