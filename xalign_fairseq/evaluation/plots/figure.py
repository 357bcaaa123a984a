"""Shared by all pictures: matplotlib if installed, fonts for many scripts, files written completely or not at all.

SVG pictures follow the reader's light or dark setting, and need no fonts.
"""

import importlib.util
import io
import logging
import re
import unicodedata
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, atomic_write
from xalign_fairseq.evaluation.plots.palette import GRID, INK, MUTED, PAPER, in_both_lights

# Scripts whose letters change form or order next to others, by the first word of their Unicode names.
_SHAPED = """
    ARABIC HEBREW SYRIAC THAANA NKO DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA MALAYALAM SINHALA
    TIBETAN MYANMAR KHMER
"""
SHAPED = frozenset(_SHAPED.split())


def script(letter: str) -> str:
    """The writing system of a letter, as Unicode names it."""
    return unicodedata.name(letter, "UNNAMED").split(" ")[0]


def missing_font(letters: Iterable[str]) -> str | None:
    """A message about letters that are drawn as boxes; None if there are none."""
    from matplotlib import get_cachedir

    found = dict.fromkeys(letters)
    if not found:
        return None
    names = ", ".join(dict.fromkeys(_font(script(letter)) for letter in found))
    return (
        f"no font that matplotlib knows has {''.join(list(found)[:20])}: the picture shows boxes. Install {names} "
        "(Debian: fonts-noto-core, fonts-noto-cjk; or https://fonts.google.com/noto); if it is there, delete "
        f"{get_cachedir()}/fontlist*, matplotlib's list of fonts, which is older"
    )


def _font(name: str) -> str:
    return f"Noto Sans {'CJK' if name in ('CJK', 'HIRAGANA', 'KATAKANA', 'HANGUL') else name.title()}"


def unshaped(texts: Iterable[str]) -> str | None:
    """A message about scripts whose letters this matplotlib does not join; None if there are none."""
    import matplotlib
    from matplotlib import ft2font

    if hasattr(ft2font, "__libraqm_version__"):
        return None
    found = sorted({script(letter) for text in texts for letter in text} & SHAPED)
    if not found:
        return None
    return (
        f"matplotlib {matplotlib.__version__} draws the letters of {', '.join(found)} one by one, neither joined nor "
        "in their order; from 3.11 on it shapes them: pip install -U 'matplotlib>=3.11'. The HTML page (xalign align "
        "--format html) leaves it to the browser"
    )


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

logger = logging.getLogger(__name__)
# Metadata with the time of writing.
UNDATED: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
# DejaVu Sans comes with matplotlib and covers Latin, Greek, Cyrillic and Arabic; the others only if installed.
_FONTS = """Noto Sans,Noto Sans Arabic,Noto Sans Hebrew,DejaVu Sans,Noto Sans Devanagari,Lohit Devanagari,
Noto Sans CJK SC,Noto Sans CJK JP,Noto Sans Thai,Nirmala UI,Microsoft YaHei,Arial Unicode MS"""
FONTS = tuple(name.strip() for name in _FONTS.split(","))
# Letters that XML 1.0 does not allow, in the comments that matplotlib writes of each text, too.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def require_matplotlib() -> None:
    """:class:`XalignError` that says how to install it, if it is missing."""
    if importlib.util.find_spec("matplotlib") is None:
        raise XalignError("pictures need matplotlib", remedy="pip install matplotlib")


def check_picture(path: StrPath) -> str:
    """The format that the file's ending names (png, svg, pdf, ...); asked before long work begins."""
    require_matplotlib()
    from matplotlib.backend_bases import FigureCanvasBase

    kind = Path(path).suffix.removeprefix(".").lower()
    known = FigureCanvasBase.get_supported_filetypes()
    if kind not in known:
        raise XalignError("unknown picture format", where=path, expected=", ".join(sorted(known)))
    return kind


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure, in inches, apart from pyplot's global state; it never opens a window."""
    require_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor=PAPER)


def style_axes(axes: "Axes", grid: Literal["x", "y"]) -> None:
    """Muted ticks, a light grid along one axis, and no frame but the left and the lower line."""
    axes.grid(axis=grid, color=GRID, linewidth=0.7)
    axes.tick_params(colors=MUTED, labelsize=9)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(GRID)


def draw_key(figure: "Figure", shown: Iterable[tuple[str, Any]], columns: int) -> None:
    """The legend, above the axes: names, each with an artist of matplotlib's.

    Any name: matplotlib leaves out those with an underscore in front, and reads two dollar signs as a formula.
    """
    names, artists = zip(*shown, strict=True)
    numbers = [str(number) for number in range(len(names))]
    legend = figure.legend(
        artists, numbers, loc="outside upper center", ncols=columns, frameon=False, fontsize=9, labelcolor=INK
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)


def save(figure: "Figure", path: StrPath, fit: bool = False) -> None:
    """Write a figure in the format of the file's ending (.png, .pdf, .svg); the file appears complete or not at all.

    With ``fit`` the picture is as large as what is drawn, for labels that reach beyond the figure. The same figure
    gives the same bytes. Letters that no installed font has, and scripts that this matplotlib does not shape, are
    logged in one line each.
    """
    from matplotlib import rc_context

    kind = check_picture(path)
    buffer = io.BytesIO()
    # Ticks are made while the figure is drawn, and their labels have the fonts of the settings.
    fonts = _set_fonts(figure)
    with (
        warnings.catch_warnings(record=True) as seen,
        rc_context({"svg.hashsalt": "xalign_fairseq", "font.family": fonts}),
    ):
        warnings.simplefilter("always")
        bounds = "tight" if fit else None
        figure.savefig(buffer, format=kind, dpi=150, metadata=UNDATED.get(kind), bbox_inches=bounds, pad_inches=0.15)
    _tell(figure, seen)
    content = buffer.getvalue()
    if kind == "svg":
        content = in_both_lights(NOT_IN_XML.sub("\ufffd", content.decode())).encode()
    with atomic_write(path, "wb") as stream:
        stream.write(content)


def _set_fonts(figure: "Figure") -> list[str]:
    """Give all text of a figure those of :data:`FONTS` that are installed; their names."""
    from matplotlib import font_manager
    from matplotlib.text import Text

    installed = set(font_manager.get_font_names())
    fonts = [font for font in FONTS if font in installed] or ["sans-serif"]
    for text in figure.findobj(Text):
        text.set(fontfamily=fonts)
    return fonts


def _tell(figure: "Figure", seen: "list[warnings.WarningMessage]") -> None:
    """Log letters that are drawn as boxes or in their isolated form."""
    from matplotlib.text import Text

    missing = []
    for warning in seen:
        if glyph := re.match(r"Glyph (\d+) .* missing from", str(warning.message)):
            missing.append(chr(int(glyph[1])))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    texts = (text.get_text() for text in figure.findobj(Text) if isinstance(text, Text))
    for told in (missing_font(missing), unshaped(texts)):
        if told:
            logger.warning(told)
