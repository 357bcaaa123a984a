"""Derived languages: a natural one in another script, with inverted sentences or with another language's syntax."""
