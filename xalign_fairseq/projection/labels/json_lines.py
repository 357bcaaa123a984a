"""Character spans in JSON lines: a text, its translation and the labels of the text."""

import json
from collections.abc import Iterator
from functools import partial
from typing import TypedDict

from xalign_fairseq.aligner.alignment import Links
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import parse_json, require_form
from xalign_fairseq.core.text.segmented import SegmentedText, inside_grapheme
from xalign_fairseq.data.labelled.lines import read_rows
from xalign_fairseq.projection.spans import place
from xalign_fairseq.projection.units import Annotated, Dropped, Projected, Unit

TextSpan = tuple[int, int, str]
PROJECTED = "translation_spans"


class SpansOfText(TypedDict):
    """A line. Other keys are kept."""

    text: str
    translation: str
    spans: list[TextSpan]


class JsonSpans:
    """Reads ``{"text": ..., "translation": ..., "spans": [[start, end, label], ...]}``, an object a line.

    A span is the characters (Unicode code points) from ``start`` up to, not including, ``end``. The output has the same
    objects, with ``translation_spans``, in the order of the spans that they come from.

    Example::

        reader = JsonSpans(Annotated("train.jsonl"))
    """

    def __init__(self, files: Annotated):
        self._files = files

    def pieces(self) -> Iterator[Unit]:
        """A unit for each line; one that is not valid is left as it is, unless it is the first."""
        for number, line in enumerate(read_rows(self._files.src), 1):
            yield self._unit(line, f"{self._files.src}, line {number}", number == 1)

    def _unit(self, line: str, where: str, first: bool) -> Unit:
        try:
            content = require_form(parse_json(line, where), SpansOfText, where)
            spans = [(start, end, label) for start, end, label in content["spans"]]
            check_spans(spans, content["text"], where)
        except XalignError as error:
            if first:
                raise
            bad = Projected(f"{line}\n", 0, (Dropped(line, f"{error.problem}: {error.found}"),))
            empty = SegmentedText("", ())
            return Unit(empty, empty, where, lambda _: bad, needs_links=False)
        src, tgt = self._files.segment(content["text"]), self._files.segment(content["translation"])
        return Unit(src, tgt, where, partial(self._project, content, spans, src, tgt), needs_links=bool(spans))

    def _project(
        self, content: SpansOfText, spans: list[TextSpan], src: SegmentedText, tgt: SegmentedText, links: Links
    ) -> Projected:
        words = [src.words_in(start, end) for start, end, _ in spans]
        placed: list[TextSpan] = []
        dropped, labels = [], []
        for (start, end, label), found in zip(spans, place(words, links, self._files.placing), strict=True):
            if isinstance(found, str):
                dropped.append(Dropped(f"{label} {src.text[start:end]}", found))
            else:
                placed.append((tgt.spans[found.start][0], tgt.spans[found.stop - 1][1], label))
                labels.append((found, label))
        line = json.dumps({**content, PROJECTED: placed}, ensure_ascii=False)
        source = tuple((run, label) for run, (_, _, label) in zip(words, spans, strict=True))
        return Projected(f"{line}\n", len(placed), tuple(dropped), (source, tuple(labels)))


def check_spans(spans: list[TextSpan], text: str, where: str) -> None:
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
