"""Project labels and markup of a text onto its translation, by word links."""
