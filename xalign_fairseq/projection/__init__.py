"""Labels and markup of a text on its translation, by word links."""

from xalign_fairseq.projection.markup.pair import project_markup

__all__ = ["project_markup"]
