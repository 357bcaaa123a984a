"""Words as HTML: escaped characters, the direction of a text, and whether its letters are small."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from itertools import pairwise

from xalign_fairseq.core.text.segmented import SegmentedText

# Scripts whose letters are small at the size of Latin ones.
SMALL_SCRIPTS = frozenset(
    (
        *("ARABIC", "HEBREW", "SYRIAC", "THAANA", "NKO", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA"),
        *("TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "THAI", "LAO", "TIBETAN", "MYANMAR", "KHMER"),
    )
)
# Control characters are not allowed in HTML: those below the space have pictures, U+2400 and on.
CONTROLS = {code: 0x2400 + code for code in range(32)} | {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)


def markup(word: str) -> str:
    """A word as HTML shows it.

    Example::

        >>> markup("a<b")
        'a&lt;b'
    """
    return escape(word.translate(CONTROLS))


def gaps(words: Sequence[str]) -> list[str]:
    """The text before each word and after the last, as HTML: white space becomes one space, and none at both ends.

    Example::

        >>> gaps(["red", "house"])
        ['', ' ', '']
    """
    if not isinstance(words, SegmentedText):
        return ["", *[" "] * (len(words) - 1), ""]
    bounds = [0, *(bound for span in words.spans for bound in span), len(words.text)]
    found = [markup(re.sub(r"\s+", " ", words.text[start:stop])) for start, stop in list(pairwise(bounds))[::2]]
    return [found[0].lstrip(), *found[1:-1], found[-1].rstrip()]


def looks(words: Iterable[str]) -> tuple[str, bool]:
    """The direction of the text, and whether its letters are small; the majority of letters decides, because a text may
    begin with a foreign name.

    Example::

        >>> looks(["BBC", "أخبار", "العالم"])
        ('rtl', True)
    """
    letters = [kind for letter in "".join(words) if (kind := _letter(letter))]
    right_to_left = sum(kind in ("R", "AL") for kind, _ in letters)
    left_to_right = sum(kind == "L" for kind, _ in letters)
    return "rtl" if right_to_left > left_to_right else "ltr", 2 * sum(small for _, small in letters) > len(letters)


@cache
def _letter(letter: str) -> tuple[str, bool] | None:
    """Unicode's class of a letter's direction, and whether its script is small; None for other characters."""
    if not letter.isalpha():
        return None
    return unicodedata.bidirectional(letter), unicodedata.name(letter, "").split(" ")[0] in SMALL_SCRIPTS
