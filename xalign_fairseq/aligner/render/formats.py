"""Output formats of ``xalign align`` that are a line per pair: links, JSON with words and probabilities, scores."""

import json
from collections.abc import Callable

from xalign_fairseq.aligner.alignment import Alignment
from xalign_fairseq.aligner.pair_scores import score_pair
from xalign_fairseq.core.text.segmented import SegmentedText


def pharaoh_line(alignment: Alignment) -> str:
    """``i-j`` links, 0-based, sorted, separated by spaces; an empty line if there are none."""
    return " ".join(f"{i}-{j}" for i, j in sorted(alignment.links))


def json_line(alignment: Alignment) -> str:
    """``{"src": words, "tgt": words, "links": [[i, j, probability], ...]}``.

    For a side given as a text, ``src_text`` is the text; ``src_chars`` and ``src_bytes`` have the first character (byte
    of UTF-8) of each word and the one after its last. The target has ``tgt_text`` and so on. Links between subwords
    have ``"units": "subword"``; then ``src`` and ``tgt`` are the subwords, without places.

    Example::

        >>> json_line(Alignment(["red"], ["rouge"], {(0, 0): 0.98}))
        '{"src": ["red"], "tgt": ["rouge"], "links": [[0, 0, 0.98]]}'
    """
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


def score_line(alignment: Alignment) -> str:
    """The columns of :class:`~xalign_fairseq.aligner.pair_scores.PairScore`, and the links, with tabs between them."""
    return f"{score_pair(alignment).line()}\t{pharaoh_line(alignment)}"


LINES: dict[str, Callable[[Alignment], str]] = {"pharaoh": pharaoh_line, "json": json_line, "scores": score_line}
