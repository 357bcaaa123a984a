"""Project labels and markup of a text onto its translation, by word links."""

from xalign_fairseq.projection.labels.json_lines import project_labels
from xalign_fairseq.projection.markup.pair import project_markup

__all__ = ["project_labels", "project_markup"]
