"""Findings of checks of an installation, a data-bin or a checkpoint."""

from typing import Literal, NamedTuple

from xalign_fairseq.core.errors import XalignError, command_line_text


class Finding(NamedTuple):
    """``ok``, a ``note``, or ``WRONG``, with a text or an error."""

    level: Literal["ok", "note", "WRONG"]
    topic: str
    text: str | XalignError

    def line(self) -> str:
        """For a terminal; further lines of the text are indented."""
        text = command_line_text(self.text) if isinstance(self.text, XalignError) else self.text
        first, *rest = text.splitlines() or [""]
        return "\n".join([f"  {self.level:5} {self.topic}: {first}", *(f"        {line}" for line in rest)])
