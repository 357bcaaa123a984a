#!/usr/bin/env python3
"""Write what docs/house.md shows: the picture of the imports, the counts, and the calls of five commands.

usage: document_house.py
"""

import tempfile
from pathlib import Path

import markers
import structure
import trace_calls

PAGE, PICTURE = structure.ROOT / "docs/house.md", structure.ROOT / "docs/house.svg"


def room_arrows(found: dict[str, set[str]]) -> dict[str, set[str]]:
    """Room -> the other rooms that it imports."""
    rooms: dict[str, set[str]] = {name: set() for name in structure.FLOORS if name != "__main__"}
    for one, others in found.items():
        if structure.room(one) in rooms:
            rooms[structure.room(one)].update({structure.room(other) for other in others} - {structure.room(one)})
    return rooms


def picture(rooms: dict[str, set[str]]) -> str:
    """The import graph as SVG: a row for each room, a column for each, a dot where the row imports the column."""
    names, left, top, step = list(rooms), 104, 92, 24
    side = step * len(names)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + side + 8} {top + side + 8}" role="img">',
        "<title>Which room imports which</title>",
        "<style>text{font:13px sans-serif;fill:#1f2933}.line{stroke:#dde2e7}.dot{fill:#073273}.up{fill:#ac2f0b}"
        ".self{fill:#dde2e7}@media(prefers-color-scheme:dark){text{fill:#dfe4ea}.line{stroke:#2f363e}.dot{fill:#3f87f3}"
        ".up{fill:#ed5e3b}.self{fill:#2f363e}}</style>",
    ]
    for at, name in enumerate(names):
        middle = step * at + step // 2
        turned = f"translate({left + middle + 4},{top - 8}) rotate(-60)"
        parts += [
            f'<line class="line" x1="{left}" x2="{left + side}" y1="{top + middle}" y2="{top + middle}"/>',
            f'<text x="{left - 8}" y="{top + middle + 4}" text-anchor="end">{name}</text>',
            f'<text transform="{turned}">{name}</text>',
            f'<rect class="self" x="{left + middle - 5}" y="{top + middle - 5}" width="10" height="10"/>',
        ]
        for other in sorted(rooms[name], key=names.index):
            kind = "dot" if names.index(other) > at else "up"
            across = left + step * names.index(other) + step // 2
            parts.append(f'<circle class="{kind}" cx="{across}" cy="{top + middle}" r="6"/>')
    return "\n".join([*parts, "</svg>\n"])


def counted() -> str:
    """The table of the counts."""
    return markers.table(("what", "count"), [(name, f"{now:,}") for name, now in structure.counts().items()])


def traced() -> str:
    """The table of the five commands."""
    with tempfile.TemporaryDirectory() as work:
        return trace_calls.render(trace_calls.sample_traces(Path(work)))


def main() -> None:
    """Write the picture and the tables."""
    parts = {"counts": counted, "traces": traced}
    PICTURE.write_text(picture(room_arrows(structure.arrows())), encoding="utf-8")
    markers.update([PAGE], "structure", lambda name: parts[name](), False, "python scripts/document_house.py")


if __name__ == "__main__":
    main()
