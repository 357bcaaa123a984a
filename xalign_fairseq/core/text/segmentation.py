"""Where the words of a line are."""

import re
from collections.abc import Callable

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.segmented import SegmentedText

Segmenter = Callable[[str], SegmentedText]
SEGMENTERS = ("auto", "spaces")
_WORD = re.compile(r"\S+")


def find_segmenter(name: str) -> Segmenter:
    """The function that finds the words of a line, by its name.

    Raises:
        XalignError: there is no such segmenter.

    Example::

        >>> list(find_segmenter("spaces")("the red house"))
        ['the', 'red', 'house']
    """
    if name not in SEGMENTERS:
        raise XalignError("there is no such segmenter", parameter="segment", found=name, expected=", ".join(SEGMENTERS))
    return split_at_spaces


def split_at_spaces(line: str) -> SegmentedText:
    """The words between white space, as ``str.split`` finds them."""
    return SegmentedText(line, tuple(match.span() for match in _WORD.finditer(line)))
