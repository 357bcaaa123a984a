"""Transfer the tags, placeholders and line breaks of a text to its translation."""
