"""Pieces of a page."""

from collections.abc import Sequence
from datetime import timedelta
from html import escape


def section(title: str, content: str) -> str:
    """A part of the page under its heading; empty without content."""
    return f"<section><h2>{escape(title)}</h2>{content}</section>" if content else ""


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """A table of plain text; nothing without rows.

    Args:
        columns: the head; none: there is no head, and the first cell of each row is one.
        rows: as many cells each.
        numbers: how many columns at the end have numbers.

    Example::

        table((), [("seed", "1")])
    """
    if not rows:
        return ""
    plain = len(rows[0]) - numbers

    def cells(row: Sequence[str], tag: str) -> str:
        kinds = (' class="number"' if at >= plain else "" for at in range(len(row)))
        return "".join(f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, row, strict=True))

    if columns:
        head = f"<thead><tr>{cells(columns, 'th')}</tr></thead>"
        body = [cells(row, "td") for row in rows]
    else:
        head = ""
        body = [f'<th scope="row">{escape(first)}</th>{cells(rest, "td")}' for first, *rest in rows]
    lines = "".join(f"<tr>{each}</tr>" for each in body)
    return f'<div class="wide"><table>{head}<tbody>{lines}</tbody></table></div>'


def duration(seconds: float) -> str:
    """``1:02:03``; below a minute ``7 s``."""
    if not -1e12 < seconds < 1e12:  # of a damaged record
        return f"{seconds:.3g} s"
    return f"{seconds:.0f} s" if seconds < 60 else str(timedelta(seconds=round(seconds)))
