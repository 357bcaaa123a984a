"""Find the words of a line: by white space, or with ICU."""

import importlib
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import accumulate, islice, pairwise
from unicodedata import category

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.installation import version
from xalign_fairseq.core.text.lines import require_unicode
from xalign_fairseq.core.text.segmented import SegmentedText

logger = logging.getLogger(__name__)

Segmenter = Callable[[str], SegmentedText]
Cutter = Callable[[str], Iterable[str]]  # from a text to pieces that concatenate to the text
SEGMENTERS = ("auto", "spaces", "icu")
PACKAGE = "icu4py"
INSTALL = "pip install icu4py, which is the extra segment"

# Characters of scripts without spaces between words.
HAN = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3031-\u3035\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"
THAI = "\u0e01-\u0e3a\u0e40-\u0e5b"
OTHERS = (  # Lao, Tibetan, Burmese, Khmer
    "\u0e80-\u0eff\u0f00-\u0fff\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f\u1780-\u17ff\u19e0-\u19ff"
)
_UNSPACED = re.compile(f"[{HAN}{KANA}{THAI}{OTHERS}]")
# Characters that are always single graphemes: a line of them needs no search.
SIMPLE = re.compile(
    r"[ -~\u00a0-\u02ff\u0370-\u0482\u048a-\u058f\u2010-\u2027\u2030-\u205e"
    r"\u3000-\u3029\u3030-\u3098\u309b-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff9d]*"
)
_MARK = re.compile("[。，、！？；：]")  # separate words in text with spaces between words
FEWEST_WORDS = 3  # average words of ICU between spaces in text without spaces between words
FEWEST_CHARACTERS = 8  # without ICU: average characters instead
SAMPLE, NEARLY_ALL = 1000, 0.9  # lines to judge a text by, and their share
_SPACE, _PARTS = re.compile(r"\s+"), re.compile(r"\s+|\S+")
_TSHEG = "\u0f0b\u0f0c"  # between Tibetan syllables, as spaces are between words
_INVISIBLE, _BRACKETS = {"Cc", "Cf", "Zs", "Zl", "Zp"}, {"Ps", "Pe", "Pi", "Pf"}


@cache
def find_segmenter(name: str) -> Segmenter:
    """The function that finds the words of a line.

    No word contains white space. No word begins or ends inside a grapheme, except for a combining mark after white
    space. The text does not change.

    Args:
        name: one of :data:`SEGMENTERS`.

            - ``spaces``: only white space separates words.
            - ``icu``: ICU's rules and dictionaries, for every language; punctuation is split off.
            - ``auto``: ``icu`` for the Han, Kana, Thai, Lao, Tibetan, Burmese and Khmer chunks of a line without
              spaces, and ``spaces`` for everything else. A chunk is text between white space; it belongs to these
              scripts if it has a character of them. A line is without spaces if ICU finds three or more words in these
              chunks on average, or if one of them also has one of 。，、！？；： and if their words outnumber all other
              chunks. Without ICU ``auto`` is ``spaces``, with a warning at the first line without spaces.

    Raises:
        XalignError: the segmenter is unknown, or its library is not installed; from the returned function: a line has
            half of a surrogate pair.

    Example::

        >>> list(find_segmenter("spaces")("the red house"))
        ['the', 'red', 'house']
    """
    if name not in SEGMENTERS:
        raise XalignError("unknown segmenter", parameter="segment", found=name, expected=", ".join(SEGMENTERS))
    if name == "spaces":
        return split_at_spaces
    if name == "auto":
        return _Auto()
    try:
        return partial(_segment, _icu())
    except ImportError as error:
        raise XalignError("the segmenter is not installed", parameter="segment", found=error, remedy=INSTALL) from None


def find_segmenters(names: str) -> tuple[Segmenter, Segmenter]:
    """The segmenters of source and target: ``auto``, or ``spaces,icu`` where they differ."""
    found = names.split(",")
    if len(found) > 2:
        raise XalignError("there are more than two segmenters", parameter="segment", found=names)
    return find_segmenter(found[0]), find_segmenter(found[-1])


def require_words(pairs: Iterable[Sequence[Sequence[str]]], names: str) -> None:
    """Raise :class:`XalignError` if ``auto``, without ICU, leaves nearly all lines of a side whole."""
    chosen = names.split(",")
    sample = [] if "auto" not in chosen or _Auto().icu else list(islice(pairs, SAMPLE))
    for side, name in enumerate(("source", "target")):
        lines = [" ".join(pair[side]) for pair in sample if pair[side]]
        single = [line for line in lines if _UNSPACED.search(line) and " " not in line]
        whole = sum(len(line) >= FEWEST_CHARACTERS or _MARK.search(line) is not None for line in single)
        if chosen[-side] == "auto" and lines and whole >= NEARLY_ALL * len(lines):
            problem, found = f"the {name} has no spaces between words", f"{whole} of {counted(len(lines), 'line')}"
            remedy = f"install ICU ({INSTALL}), which finds words, or, if each line is one word, set"
            raise XalignError(problem, found=found, remedy=(remedy, Parameter("segment", "spaces")))


def is_unspaced(character: str) -> bool:
    """Whether a character belongs to a script without spaces between words, or is such a script's sentence mark."""
    return _UNSPACED.match(character) is not None or _MARK.match(character) is not None


def split_at_spaces(line: str) -> SegmentedText:
    """The words between white space, as ``str.split`` finds them."""
    return SegmentedText.of_words(line, line.split())


def segmenter_of_raw_text() -> str:
    """``icu``, which splits off punctuation, if it is installed, otherwise ``auto``."""
    return "icu" if version(PACKAGE) else "auto"


def segmenter_versions(names: str) -> str:
    """Segmenters with ICU's version, which affects the words: ``icu (icu4py 1.2.0)``."""
    if set(names.split(",")) == {"spaces"}:
        return names
    return f"{names} (icu4py {version(PACKAGE) or 'not installed'})"


class _Auto:
    """The segmenter ``auto``: ICU for lines without spaces."""

    def __init__(self) -> None:
        try:
            self.icu: Cutter | None = _icu()
        except ImportError:
            self.icu = None

    def __call__(self, line: str) -> SegmentedText:
        if not _UNSPACED.search(line):
            return split_at_spaces(line)
        chunks = line.split()
        unspaced = [chunk for chunk in chunks if _UNSPACED.search(chunk)]
        text, others = " ".join(unspaced), len(chunks) - len(unspaced)
        marked = _MARK.search(text) is not None
        if others or not marked:
            words, fewest = self._count(text)
            if words <= others or not (marked or words >= fewest * len(unspaced)):
                return split_at_spaces(line)
        if self.icu is None:
            _warn_of_spaces()
            return split_at_spaces(line)
        return _segment(partial(_cut, self.icu) if others else self.icu, line)

    def _count(self, text: str) -> tuple[int, int]:
        """The number of words (without ICU, of characters), and the smallest number for a line without spaces."""
        if self.icu is None:
            return len(text), FEWEST_CHARACTERS
        require_unicode(text, "a sentence")
        return sum(piece.isalnum() or any(map(str.isalnum, piece)) for piece in self.icu(text)), FEWEST_WORDS


@cache
def _warn_of_spaces() -> None:
    logger.warning("text has no spaces between words, so each line counts as one word: install ICU (%s)", INSTALL)


def _segment(cut: Cutter, line: str) -> SegmentedText:
    """Words have whole graphemes and no white space; repeated marks are one word, invisible characters no word."""
    require_unicode(line, "a sentence")
    words: list[str] = []
    last = ""  # the word that ends where the next piece begins
    for piece in _graphemes(cut(line), line):
        if not piece.isalnum():
            kinds = _kinds(piece)
            if kinds <= _INVISIBLE:
                last = ""
                continue
            if last and len({*last, *piece}) == 1 and kinds.isdisjoint(_BRACKETS):
                piece = words.pop() + piece
        words.append(piece)
        last = piece
    return SegmentedText.of_words(line, words)


def _graphemes(pieces: Iterable[str], line: str) -> Iterable[str]:
    """Pieces of a line in whole graphemes, cut where white space begins and ends."""
    if SIMPLE.fullmatch(line):
        return pieces
    graphemes = set(accumulate(map(len, _icu("CharacterBreaker")(line))))
    stops = graphemes.intersection(accumulate(map(len, pieces)))
    spaces = {0, len(line), *(edge for match in _SPACE.finditer(line) for edge in match.span())}
    return [line[start:stop] for start, stop in pairwise(sorted(stops | spaces))]


@lru_cache(1 << 12)
def _kinds(piece: str) -> frozenset[str]:
    return frozenset(category(character) for character in piece if character not in _TSHEG)


def _cut(icu: Cutter, text: str) -> Iterator[str]:
    """Cut chunks of scripts without spaces by ICU; leave the rest whole."""
    for part in _PARTS.findall(text):
        yield from icu(part) if _UNSPACED.search(part) else (part,)


@cache
def _icu(kind: str = "WordBreaker") -> Cutter:
    breaker = getattr(importlib.import_module("icu4py.breakers"), kind)
    return lambda text: breaker(text, "en")
