"""Lines over updates as SVG in the page: without scripts, light or dark like the page, distinguished by dashes."""

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta
from html import escape

# In pixels of the picture; the page scales it.
WIDTH, HEIGHT = 360, 210
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 12, 24
# More points show no more detail.
MOST_POINTS = 400
# Up to this number, each point is drawn and shows its value under the pointer.
MOST_DOTS = 80

Points = Sequence[tuple[int, float]]


def line_chart(title: str, curves: Mapping[str, Points]) -> str:
    """A ``<figure>`` of (updates, value) curves by name, with a key if there are several."""
    curves = {name: thinned(points) for name, points in curves.items() if points}
    if not curves:
        return ""
    every = [point for points in curves.values() for point in points]
    first, last = min(x for x, _ in every), max(x for x, _ in every)
    ticks = nice_ticks(min(y for _, y in every), max(y for _, y in every))
    low, high = ticks[0], ticks[-1]

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - first) / (last - first) if last > first else 0.5
        up = (y - low) / (high - low)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts = []
    for tick in ticks:
        _, y = place(first, tick)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="y" x="{LEFT - 6}" y="{y + 3.5:.1f}">{tick:g}</text>')
    for updates, side in ((first, "start"), (last, "end"))[0 if last > first else 1 :]:
        at, _ = place(updates, low)
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - 8}" text-anchor="{side}">{updates:,}</text>')
    for number, (name, points) in enumerate(curves.items()):
        places = [place(*point) for point in points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path class="line s{number % 6}" d="M{path}"/>')
        if len(points) <= MOST_DOTS:
            for (x, y), (updates, value) in zip(places, points, strict=True):
                said = escape(f"{name}, update {updates:,}: {value:.5g}")
                parts.append(
                    f'<circle class="s{number % 6}" cx="{x:.1f}" cy="{y:.1f}" r="2.6"><title>{said}</title></circle>'
                )
    key = "".join(
        f'<li><svg viewBox="0 0 26 8" aria-hidden="true"><path class="line s{number % 6}" d="M0 4H26"/></svg>'
        f"{escape(name)}</li>"
        for number, name in enumerate(curves)
    )
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)} over updates">{"".join(parts)}</svg>'
        f"{f'<ul>{key}</ul>' if len(curves) > 1 else ''}</figure>"
    )


def nice_ticks(low: float, high: float) -> list[float]:
    """Round numbers in even steps, from below the lowest to above the highest value."""
    if high - low < 1e-9 * max(abs(high), abs(low), 1e-9):
        middle = abs(high) or 1.0
        low, high = low - middle / 10, high + middle / 10
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    begin, end = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{number * step:.10g}") for number in range(begin, end + 1)]


def thinned(points: Points) -> list[tuple[int, float]]:
    """At most :data:`MOST_POINTS` points: means of neighbours, at the last update of each group."""
    size = math.ceil(len(points) / MOST_POINTS)
    groups = (points[begin : begin + size] for begin in range(0, len(points), size or 1))
    return [(group[-1][0], sum(value for _, value in group) / len(group)) for group in groups]


def section(title: str, content: str) -> str:
    """A part of the page under its heading; empty without content."""
    return f"<section><h2>{escape(title)}</h2>{content}</section>" if content else ""


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """A table of plain text, its last ``numbers`` columns aligned as numbers; nothing without rows."""
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
    if not -1e12 < seconds < 1e12:  # from a damaged record
        return f"{seconds:.3g} s"
    return f"{seconds:.0f} s" if seconds < 60 else str(timedelta(seconds=round(seconds)))
