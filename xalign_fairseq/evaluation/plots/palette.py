"""The colours of all pictures: distinct for any colour vision, each with a counterpart for dark backgrounds."""

import re

PAPER, INK, MUTED, GRID = "#ffffff", "#1f2933", "#6b7785", "#dde2e7"
COLOURS = ("#073273", "#ac2f0b", "#087350", "#b70fef", "#c98b0d", "#25a1df")
MARKERS = ("o", "s", "^", "D", "v", "P")
ACCENT = COLOURS[1]
STEPS = 16


def _between(first: str, last: str, share: float) -> str:
    ends = ([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (first, last))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(*ends, strict=True))


def _scale(first: str, middle: str, last: str) -> list[str]:
    places = [2 * step / (STEPS - 1) for step in range(STEPS)]
    return [_between(first, middle, at) if at < 1 else _between(middle, last, at - 1) for at in places]


# The scale of probabilities; it begins far from the background's colour, because a faint cell is still a link.
SCALE = _scale("#c9dcf0", "#5b93c7", "#123f73")
_DARK_SCALE = _scale("#1d3a5c", "#4a86c5", "#cfe4fa")
# Their counterparts for dark backgrounds; also for white, the lines between cells.
DARK = {
    **dict(zip(SCALE, _DARK_SCALE, strict=True)),
    **{PAPER: "#15181c", INK: "#dfe4ea", MUTED: "#98a3af", GRID: "#2f363e"},
    **dict(zip(COLOURS, ("#3f87f3", "#ed5e3b", "#30eb94", "#c757a1", "#f1d027", "#c5e5ed"), strict=True)),
}


def shade(probability: float) -> str:
    """The colour of a number, clamped to [0, 1]."""
    return SCALE[min(int(max(probability, 0.0) * STEPS), STEPS - 1)]


def in_both_lights(svg: str) -> str:
    """An SVG picture with a style sheet for dark colours, used if the reader prefers them."""
    used = sorted(set(re.findall(r"#[0-9a-f]{6}", svg)) & DARK.keys())
    rules = [
        f'[style*="{part}: {colour}"] {{ {part}: {DARK[colour]} !important }}'
        for colour in used
        for part in ("fill", "stroke")
        if f"{part}: {colour}" in svg
    ]
    style = f"<style>@media (prefers-color-scheme: dark) {{ svg {{ fill: {DARK[INK]} }} {' '.join(rules)} }}</style>"
    return re.sub(r"(<svg\b[^>]*>)", lambda found: found[1] + style, svg, count=1)
