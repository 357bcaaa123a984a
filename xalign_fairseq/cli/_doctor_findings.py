"""One line of ``xalign doctor``."""

from typing import Literal, NamedTuple


class Finding(NamedTuple):
    """What a check found: ``ok``, ``note`` (worth knowing) or ``WRONG`` (the exit code becomes 1)."""

    level: Literal["ok", "note", "WRONG"]
    topic: str
    text: str

    def __str__(self) -> str:
        first, *rest = self.text.splitlines() or [""]
        return "\n".join([f"  {self.level:5} {self.topic}: {first}", *(f"        {line}" for line in rest)])
