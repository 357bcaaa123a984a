"""Output formats of ``xalign align``: links, JSON with words and probabilities, scores, or a page; a line per pair."""

import json
from typing import Protocol

from xalign_fairseq.aligner.alignment import Alignment
from xalign_fairseq.aligner.pair_scores import score_pair
from xalign_fairseq.aligner.render.page import Page
from xalign_fairseq.core.text.segmented import SegmentedText


class Format(Protocol):
    """A format of alignments: what comes before them, one line per pair, what comes after them.

    A file is ``begin() + "".join(line(alignment, number) + "\\n" for ...) + end()``. ``begin`` and ``end`` are empty or
    whole lines; a pair is exactly one line, without its line break, so that pairs can be counted by lines.
    """

    def begin(self) -> str:
        """The text before the first pair."""

    def line(self, alignment: Alignment, number: int) -> str:
        """One pair, the ``number``-th of the input, from 1."""

    def end(self) -> str:
        """The text after the last pair."""


class _Lines:
    """A format without text before and after the pairs."""

    def begin(self) -> str:
        return ""

    def end(self) -> str:
        return ""


class Pharaoh(_Lines):
    """``i-j`` links, 0-based, sorted, separated by spaces; an empty line if there are none."""

    def line(self, alignment: Alignment, number: int) -> str:
        return " ".join(f"{i}-{j}" for i, j in sorted(alignment.links))


class JsonLines(_Lines):
    """``{"src": words, "tgt": words, "links": [[i, j, probability], ...]}``, an object a line.

    For a side given as a text, ``src_text`` is the text; ``src_chars`` and ``src_bytes`` have the first character (byte
    of UTF-8) of each word and the one after its last. The target has ``tgt_text`` and so on. Links between subwords
    have ``"units": "subword"``; then ``src`` and ``tgt`` are the subwords, without places.

    Example::

        JsonLines().line(Alignment(["red"], ["rouge"], {(0, 0): 0.98}), 1)
        # '{"src": ["red"], "tgt": ["rouge"], "links": [[0, 0, 0.98]]}'
    """

    def line(self, alignment: Alignment, number: int) -> str:
        links = [[i, j, round(probability, 6)] for (i, j), probability in sorted(alignment.links.items())]
        units = {} if alignment.units == "word" else {"units": alignment.units}
        sides = {"src": alignment.src, "tgt": alignment.tgt}
        places = {
            f"{name}_{kind}": value
            for name, side in sides.items()
            if isinstance(side, SegmentedText)
            for kind, value in (("text", side.text), ("chars", side.spans), ("bytes", side.byte_spans))
        }
        words = {name: list(side) for name, side in sides.items()}
        return json.dumps({**words, "links": links, **places, **units}, ensure_ascii=False)


class ScoreLines(_Lines):
    """The columns of :class:`~xalign_fairseq.aligner.pair_scores.PairScore`, and the links, with tabs between them."""

    def line(self, alignment: Alignment, number: int) -> str:
        return f"{score_pair(alignment).line()}\t{Pharaoh().line(alignment, number)}"


FORMATS: dict[str, Format] = {"pharaoh": Pharaoh(), "json": JsonLines(), "scores": ScoreLines(), "html": Page()}
