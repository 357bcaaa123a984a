"""Links as HTML tables for notebooks, in the notebook's colours, without scripts or downloads."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise

from xalign_fairseq.aligner.protocol import Alignment
from xalign_fairseq.core.text.segmented import SegmentedText
from xalign_fairseq.links.pharaoh import Gold

# Scripts whose letters look small at the size of Latin ones.
SMALL_SCRIPTS = frozenset(
    (
        *("ARABIC", "HEBREW", "SYRIAC", "THAANA", "NKO", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA"),
        *("TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "THAI", "LAO", "TIBETAN", "MYANMAR", "KHMER"),
    )
)
# HTML forbids control characters: U+2400 and following show them.
CONTROLS = {code: 0x2400 + code for code in range(32)} | {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)


def markup(word: str) -> str:
    """A word as HTML."""
    return escape(word.translate(CONTROLS))


def gaps(words: Sequence[str]) -> list[str]:
    """The text before each word and after the last, as HTML."""
    if not isinstance(words, SegmentedText):
        return ["", *[" "] * (len(words) - 1), ""]
    bounds = [0, *(bound for span in words.spans for bound in span), len(words.text)]
    found = [markup(re.sub(r"\s+", " ", words.text[start:stop])) for start, stop in list(pairwise(bounds))[::2]]
    return [found[0].lstrip(), *found[1:-1], found[-1].rstrip()]


def looks(words: Iterable[str]) -> tuple[str, bool]:
    """The text direction, and whether the letters are small."""
    letters = [kind for letter in "".join(words) if (kind := _letter(letter))]
    right_to_left = sum(kind in ("R", "AL") for kind, _ in letters)
    left_to_right = sum(kind == "L" for kind, _ in letters)
    return "rtl" if right_to_left > left_to_right else "ltr", 2 * sum(small for _, small in letters) > len(letters)


@cache
def _letter(letter: str) -> tuple[str, bool] | None:
    """A letter's Unicode direction class, and whether its script is small; None for other characters."""
    if not letter.isalpha():
        return None
    return unicodedata.bidirectional(letter), unicodedata.name(letter, "").split(" ")[0] in SMALL_SCRIPTS


MOST_WORDS = 60  # per side of a matrix; longer pairs are listed

# Text and lines have the surrounding colour, to be readable in light and dark themes.
STYLE = """<style>
.xalign-frame { overflow-x: auto; }
.xalign-links { border-collapse: collapse; margin: .6em 0; font-size: 14px; line-height: 1.3; }
.xalign-links :is(th, td) { border: 1px solid color-mix(in srgb, currentColor 16%, transparent); padding: 0;
  background: none; font-weight: normal; }
.xalign-links :is(thead th, tbody th) { border-color: transparent; white-space: nowrap; }
.xalign-links thead th { vertical-align: bottom; padding-bottom: .35em; text-align: center; }
.xalign-links thead span { writing-mode: vertical-rl; }
.xalign-links tbody th { padding-right: .5em; text-align: right; }
.xalign-links td { width: 1.7em; min-width: 1.7em; height: 1.7em; }
.xalign-links td.link { background: rgb(56 132 214 / calc(25% + 75% * var(--p))); }
.xalign-links td.sure { box-shadow: inset 0 0 0 2px #e0662a; }
.xalign-links td.possible { outline: 2px dashed #e0662a; outline-offset: -3px; }
</style>"""
KEY = (
    "Blue: links; stronger colour, higher probability. Frames: gold links, solid if sure, dashed if possible. Frames "
    "without blue are missing links; blue without a frame is not gold."
)


MOST_PAIRS = 10


@dataclass(frozen=True)
class LinkTables:
    """Link matrices as HTML for notebooks."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


def show_links(
    pairs: Alignment | Sequence[Alignment], golds: Gold | Sequence[Gold] | None = None, most: int = MOST_PAIRS
) -> LinkTables:
    """Show alignments as matrices in a notebook: source words down, target words across, the links in blue.

    Args:
        pairs: one alignment, or several.
        golds: gold links of the pair, or of each pair, shown as frames.
        most: maximum number of pairs to show.

    Example::

        >>> pair = Alignment(["red", "house"], ["maison", "rouge"], {(0, 1): 0.9, (1, 0): 0.8})
        >>> "red – rouge, 90%" in show_links(pair).html
        True
    """
    pairs = [pairs] if isinstance(pairs, Alignment) else pairs
    each_gold: Sequence[Gold | None] = [golds] if isinstance(golds, Gold) else golds or [None] * len(pairs)
    shown = "".join(_table(pair, gold) for pair, gold in list(zip(pairs, each_gold, strict=True))[:most])
    return LinkTables(shown + (f"<p>… and {len(pairs) - most} more</p>" if len(pairs) > most else ""))


def _table(pair: Alignment, gold: Gold | None) -> str:
    if max(len(pair.src), len(pair.tgt)) > MOST_WORDS:
        sides = "".join(f"<p dir='{looks(words)[0]}'>{_running(words)}</p>" for words in (pair.src, pair.tgt))
        links = (
            f"{_word(pair.src[i])}&thinsp;–&thinsp;{_word(pair.tgt[j])} {p:.0%}"
            for (i, j), p in sorted(pair.links.items())
        )
        return f"{sides}<p>{', '.join(links)}</p>"
    head = "".join(f"<th scope='col'>{_word(word)}</th>" for word in pair.tgt)
    rows = "".join(
        f"<tr><th scope='row'>{_word(word)}</th>{''.join(_cell(pair, gold, i, j) for j in range(len(pair.tgt)))}</tr>"
        for i, word in enumerate(pair.src)
    )
    table = f"<table class='xalign-links'><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f"{STYLE}<div class='xalign-frame'>{table}</div>{'' if gold is None else f'<small>{KEY}</small>'}"


def _cell(pair: Alignment, gold: Gold | None, i: int, j: int) -> str:
    kinds, title = [], f"{pair.src[i]} – {pair.tgt[j]}"
    probability = pair.links.get((i, j))
    if probability is not None:
        kinds.append("link")
        title += f", {probability:.0%}"
    if gold is not None and (i, j) in gold.possible:
        kinds.append("sure" if (i, j) in gold.sure else "possible")
        title += f", {kinds[-1]}"
    if not kinds:
        return "<td></td>"
    strength = "" if probability is None else f" style='--p: {min(max(probability, 0), 1):.2f}'"
    return f"<td class='{' '.join(kinds)}' title='{markup(title)}'{strength}></td>"


def _running(words: Sequence[str]) -> str:
    return "".join(gap + markup(word) for gap, word in zip(gaps(words), [*words, ""], strict=True))


def _word(word: str) -> str:
    """A word with its own text direction, isolated from its neighbours."""
    return f"<span dir='{escape(looks([word])[0])}'>{markup(word)}</span>"
