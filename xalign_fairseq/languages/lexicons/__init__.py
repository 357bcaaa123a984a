"""Bilingual dictionaries: their formats, and the lexicon of subword ids that is made of one."""
