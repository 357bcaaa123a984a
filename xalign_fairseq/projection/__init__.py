"""Labels and markup of a text on its translation, by word links."""
