"""One output line per pair: Pharaoh links, or JSON with words and probabilities."""

import json

from xalign_fairseq.alignment.aligner import Alignment


def pharaoh_line(alignment: Alignment) -> str:
    """``i-j`` links, 0-based, sorted, separated by blanks; an empty string if there are none."""
    return " ".join(f"{i}-{j}" for i, j in sorted(alignment.links))


def json_line(alignment: Alignment) -> str:
    """``{"src": words, "tgt": words, "links": [[i, j, probability], ...]}`` in one line.

    Example::

        json_line(Alignment(["red"], ["rouge"], {(0, 0): 0.98}))
        # '{"src": ["red"], "tgt": ["rouge"], "links": [[0, 0, 0.98]]}'
    """
    links = [[i, j, round(probability, 6)] for (i, j), probability in sorted(alignment.links.items())]
    return json.dumps({"src": alignment.src, "tgt": alignment.tgt, "links": links}, ensure_ascii=False)


FORMATS = {"pharaoh": pharaoh_line, "json": json_line}
