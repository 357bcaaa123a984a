"""The tags, placeholders and line breaks of a text on its translation."""
