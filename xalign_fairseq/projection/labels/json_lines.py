"""Character spans in JSON lines: a text, its translation and the labels of the text."""

import json
import unicodedata
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypedDict

from xalign_fairseq.aligner.protocol import Links
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import parse_json, require_form
from xalign_fairseq.core.text.segmented import SegmentedText, Span, inside_grapheme
from xalign_fairseq.data.labelled.examples import read_rows
from xalign_fairseq.projection.markup.pieces import LinkedPieces
from xalign_fairseq.projection.spans import Placing, place
from xalign_fairseq.projection.units import Annotated, Dropped, Projected, Unit

TextSpan = tuple[int, int, str]
PROJECTED = "translation_spans"


class SpansOfText(TypedDict):
    """A line. Other keys are kept."""

    text: str
    translation: str
    spans: list[TextSpan]


def json_spans(files: Annotated) -> Iterator[Unit]:
    """Read ``{"text": ..., "translation": ..., "spans": [[start, end, label], ...]}``, one object per line.

    A span is the characters (Unicode code points) from ``start`` up to, not including, ``end``. The output has the same
    objects, with ``translation_spans``, in the order of the source spans. An invalid line does not change; the first
    line must be valid.
    """
    for number, line in enumerate(read_rows(files.src), 1):
        where = f"{files.src}, line {number}"
        try:
            content = require_form(parse_json(line, where, finite=True), SpansOfText, where)
            check_spans(content["spans"], content["text"], where)
        except XalignError as error:
            if number == 1:
                raise
            empty, dropped = SegmentedText("", ()), Dropped(line, f"{error.problem}: {error.found}")
            yield Unit.fixed(empty, empty, where, f"{line}\n", dropped)
            continue
        src, tgt = files.segment(content["text"]), files.segment(content["translation"])
        project = partial(_project, content, src, tgt, files.placing)
        yield Unit(src, tgt, where, project, needs_links=bool(content["spans"]))


def _project(content: SpansOfText, src: SegmentedText, tgt: SegmentedText, placing: Placing, links: Links) -> Projected:
    placed: list[TextSpan] = []
    dropped, spans = [], content["spans"]
    for (start, end, label), found in zip(spans, place_spans(spans, src, tgt, links, placing), strict=True):
        if isinstance(found, str):
            dropped.append(Dropped(f"{label} {src.text[start:end]}", found))
        else:
            placed.append((*found, label))
    line = json.dumps({**content, PROJECTED: placed}, ensure_ascii=False)
    theirs, ours = (
        tuple((text.words_in(start, end), label) for start, end, label in each)
        for text, each in ((src, spans), (tgt, placed))
    )
    return Projected(f"{line}\n", len(placed), tuple(dropped), (theirs, ours))


def place_spans(
    spans: Sequence[TextSpan], src: SegmentedText, tgt: SegmentedText, links: Links, placing: Placing
) -> list[Span | str]:
    """The place of each span in the translation, or the reason why it has none."""
    placed: list[Span | str] = []
    pieces = LinkedPieces(src, tgt, links, {edge for start, end, _ in spans for edge in (start, end)})
    linked = {(a, b): p * pieces.worth[b] for a, row in enumerate(pieces.links) for b, p in row.items()}
    parts = [range(*pieces.within(start, end)) for start, end, _ in spans]
    for (start, end, _), found in zip(spans, place(parts, linked, placing), strict=True):
        if isinstance(found, str):
            placed.append(found)
            continue
        first, last = pieces.tgt[found.start][0], pieces.tgt[found.stop - 1][1]
        while first + 1 < last and _is_mark(tgt.text[first]) and not _is_mark(src.text[start]):
            first += 1
        while first + 1 < last and _is_mark(tgt.text[last - 1]) and not _is_mark(src.text[end - 1]):
            last -= 1
        placed.append((first, last))
    return placed


def _is_mark(letter: str) -> bool:
    return letter.isspace() or unicodedata.category(letter)[0] == "P"


def check_spans(spans: Sequence[TextSpan], text: str, where: str) -> None:
    """:class:`XalignError` for spans that are empty, beyond the text, within a grapheme, or overlap."""
    end = 0
    for start, stop, label in sorted(spans):
        if not 0 <= start < stop <= len(text):
            problem = "a span is empty, or is not within the text"
        elif inside_grapheme(text, start) or inside_grapheme(text, stop):
            problem = "a span begins or ends between a character and its marks"
        elif start < end:
            problem = "a span overlaps another"
        else:
            end = stop
            continue
        raise XalignError(problem, where=where, found=f"{start} to {stop} ({label})", expected=f"0 to {len(text)}")
