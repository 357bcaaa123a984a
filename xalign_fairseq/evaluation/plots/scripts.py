"""Writing systems in pictures: which letters no font draws, and which matplotlib does not shape."""

import unicodedata
from collections.abc import Iterable

# Whose letters change their form or order beside others, by the first word of their names in Unicode.
_SHAPED = """
    ARABIC HEBREW SYRIAC THAANA NKO DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA MALAYALAM SINHALA
    TIBETAN MYANMAR KHMER
"""
SHAPED = frozenset(_SHAPED.split())


def script(letter: str) -> str:
    """The writing system of a letter, as Unicode names it.

    Example::

        >>> script("क"), script("é"), script("书")
        ('DEVANAGARI', 'LATIN', 'CJK')
    """
    return unicodedata.name(letter, "UNNAMED").split(" ")[0]


def missing_font(letters: Iterable[str]) -> str | None:
    """What to say of letters that are drawn as boxes; None if there are none."""
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
    """What to say of scripts whose letters this matplotlib draws one by one; None if there are none."""
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
