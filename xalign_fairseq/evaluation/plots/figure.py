"""Shared by all pictures: matplotlib if installed, fonts for many scripts, complete files."""

import importlib.util
import io
import logging
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, atomic_write
from xalign_fairseq.evaluation.plots.palette import GRID, INK, MUTED, PAPER, in_both_lights

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

logger = logging.getLogger(__name__)
# Metadata fields with the time of writing.
UNDATED: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
# DejaVu Sans comes with matplotlib and covers Latin, Greek, Cyrillic and Arabic; the others only if installed.
_FONTS = """Noto Sans,Noto Sans Arabic,Noto Sans Hebrew,DejaVu Sans,Noto Sans Devanagari,Lohit Devanagari,
Noto Sans CJK SC,Noto Sans CJK JP,Noto Sans Thai,Nirmala UI,Microsoft YaHei,Arial Unicode MS"""
FONTS = tuple(name.strip() for name in _FONTS.split(","))
# Characters that XML 1.0 forbids, also in the comments that matplotlib writes for each text.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def require_matplotlib() -> None:
    """Raise :class:`XalignError` with installation instructions if matplotlib is missing."""
    if importlib.util.find_spec("matplotlib") is None:
        raise XalignError("pictures need matplotlib", remedy="pip install matplotlib")


def check_picture(path: StrPath) -> str:
    """The picture format for the file's ending (png, svg, pdf, ...); call this before long work."""
    require_matplotlib()
    from matplotlib.backend_bases import FigureCanvasBase

    kind = Path(path).suffix.removeprefix(".").lower()
    known = FigureCanvasBase.get_supported_filetypes()
    if kind not in known:
        raise XalignError("unknown picture format", where=path, expected=", ".join(sorted(known)))
    return kind


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure, in inches, outside pyplot's global state; it never opens a window."""
    require_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor=PAPER)


def style_axes(axes: "Axes", grid: Literal["x", "y"]) -> None:
    """Muted ticks, a light grid along one axis, and only the left and lower frame lines."""
    axes.grid(axis=grid, color=GRID, linewidth=0.7)
    axes.tick_params(colors=MUTED, labelsize=9)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(GRID)


def draw_key(figure: "Figure", shown: Iterable[tuple[str, Any]]) -> None:
    """Draw the legend above the axes. Unlike in matplotlib's legend, names may have any characters."""
    names, artists = zip(*shown, strict=True)
    numbers = [str(number) for number in range(len(names))]
    legend = figure.legend(
        artists, numbers, loc="outside upper center", ncols=4, frameon=False, fontsize=9, labelcolor=INK
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)


def save(figure: "Figure", path: StrPath, fit: bool = False) -> None:
    """Write a complete, reproducible file, by its ending .png, .pdf or .svg; ``fit`` includes outer labels."""
    from matplotlib import rc_context

    kind = check_picture(path)
    buffer = io.BytesIO()
    # Ticks are made during drawing, with the fonts of the settings.
    fonts = _set_fonts(figure)
    with (
        warnings.catch_warnings(record=True) as seen,
        rc_context({"svg.hashsalt": "xalign_fairseq", "font.family": fonts}),
    ):
        warnings.simplefilter("always")
        bounds = "tight" if fit else None
        figure.savefig(buffer, format=kind, dpi=150, metadata=UNDATED.get(kind), bbox_inches=bounds, pad_inches=0.15)
    _log_warnings(seen)
    content = buffer.getvalue()
    if kind == "svg":
        content = in_both_lights(NOT_IN_XML.sub("\ufffd", content.decode())).encode()
    with atomic_write(path, "wb") as stream:
        stream.write(content)


def _set_fonts(figure: "Figure") -> list[str]:
    """Set the installed fonts of :data:`FONTS` for all text of a figure; returns their names."""
    from matplotlib import font_manager
    from matplotlib.text import Text

    installed = set(font_manager.get_font_names())
    fonts = [font for font in FONTS if font in installed] or ["sans-serif"]
    for text in figure.findobj(Text):
        text.set(fontfamily=fonts)
    return fonts


def _log_warnings(seen: "list[warnings.WarningMessage]") -> None:
    """Log which letters are drawn as boxes; pass on all other warnings."""
    missing = ""
    for warning in seen:
        if glyph := re.match(r"Glyph (\d+) .* missing from", str(warning.message)):
            missing += chr(int(glyph[1]))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if missing:
        remedy = "install fonts of these scripts (https://fonts.google.com/noto); delete matplotlib's fontlist*.json"
        logger.warning("no font has %s: the picture shows boxes; %s", "".join(dict.fromkeys(missing))[:20], remedy)
