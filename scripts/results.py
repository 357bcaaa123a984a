"""Results files of XLM-Align's small study, as ``examples/xlm_align/small/evaluate.py`` writes them, checked."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError

TEXT, WHOLE, NUMBER, FRACTION, INTERVAL = "text", "a whole number", "a number", "a fraction in [0, 1]", "two fractions"
FIGURES = {"aer": FRACTION, "precision": FRACTION, "recall": FRACTION}
WHICH = {"similarity": TEXT, "layer": WHOLE, "method": TEXT}
RUN = {
    "name": TEXT, "setting": TEXT, "command": TEXT, "commit": TEXT, "seed": WHOLE, "updates": WHOLE, "tokens": WHOLE,
    "minutes": NUMBER, "machine": TEXT,
}  # fmt: skip
PAIR = {
    **WHICH, **FIGURES, "f1": FRACTION, "links": WHOLE, "signature": TEXT, "interval": INTERVAL, "chosen_on": TEXT,
    "dev_aer": FRACTION,
}  # fmt: skip


def read(path: Path) -> dict[str, Any]:
    """One run: what was trained, and ``pairs``: the scores of each language pair on its test set.

    A pair holds the figures of the chosen setting, ``eflomal`` (those of the baseline) and ``all`` (every similarity,
    layer and method on the test set).

    Raises:
        XalignError: not JSON, or something is missing or of the wrong kind; file and place are named.

    Example::

        read(Path("examples/xlm_align/small/results/ro-en-links.json"))["pairs"]["ro-en"]["aer"]
    """
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise XalignError("a results file is not JSON", where=path, found=error) from None
    _require(path, "", run, {**RUN, "pairs": "pairs"})
    for pair, scores in run["pairs"].items():
        _require(path, f"pairs.{pair}", scores, {**PAIR, "eflomal": "figures", "all": "a list"})
        _require(path, f"pairs.{pair}.eflomal", scores["eflomal"], FIGURES)
        for number, row in enumerate(scores["all"]):
            _require(path, f"pairs.{pair}.all[{number}]", row, {**WHICH, **FIGURES})
    return run


def chosen(scores: Mapping[str, Any], **other: Any) -> dict[str, Any] | None:
    """The row of ``all`` with the chosen similarity, layer and method, or with others that are named."""
    wanted = {**{key: scores[key] for key in WHICH}, **other}
    return next((row for row in scores["all"] if all(row[key] == wanted[key] for key in WHICH)), None)


def pairs_of(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """All language pairs, in the order in which the files have them."""
    return list(dict.fromkeys(pair for run in runs for pair in run["pairs"]))


def _require(path: Path, place: str, value: Any, keys: Mapping[str, str]) -> None:
    if not isinstance(value, dict):
        raise _malformed(path, place or "the whole file", type(value).__name__, "an object")
    for key, kind in keys.items():
        here = f"{place}.{key}" if place else key
        if key not in value:
            raise _malformed(path, here, "nothing", kind)
        if not _is(value[key], kind):
            raise _malformed(path, here, json.dumps(value[key])[:60], kind)


def _is(value: Any, kind: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == TEXT:
        return isinstance(value, str)
    if kind == WHOLE:
        return number and isinstance(value, int)
    if kind == NUMBER:
        return number
    if kind == FRACTION:
        return number and 0 <= value <= 1
    if kind == INTERVAL:
        return isinstance(value, list) and len(value) == 2 and all(_is(end, FRACTION) for end in value)
    return isinstance(value, list if kind == "a list" else dict) and bool(value)


def _malformed(path: Path, place: str, found: str, expected: str) -> XalignError:
    return XalignError(
        "a results file is not as evaluate.py writes it",
        where=f"{path}: {place}",
        found=found,
        expected=expected,
        remedy="bash examples/xlm_align/small/4_evaluate.sh writes it anew",
    )
