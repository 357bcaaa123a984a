"""Character spans in JSON lines: a text, its translation and the labels of the text."""

import json
import unicodedata
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypedDict

from xalign_fairseq.aligner.protocol import Links, WordAligner
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import parse_json, require_form
from xalign_fairseq.core.text.segmentation import find_segmenter, segmenter_of_raw_text
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


class JsonSpans:
    """Reads ``{"text": ..., "translation": ..., "spans": [[start, end, label], ...]}``, one object per line.

    A span is the characters (Unicode code points) from ``start`` up to, not including, ``end``. The output has the same
    objects, with ``translation_spans``, in the order of the source spans.
    """

    def __init__(self, files: Annotated):
        self._files = files

    def pieces(self) -> Iterator[Unit]:
        """A unit for each line; an invalid one does not change, unless it is the first."""
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
        placed: list[TextSpan] = []
        dropped = []
        for (start, end, label), found in zip(spans, _place(spans, src, tgt, links, self._files.placing), strict=True):
            if isinstance(found, str):
                dropped.append(Dropped(f"{label} {src.text[start:end]}", found))
            else:
                placed.append((*found, label))
        line = json.dumps({**content, PROJECTED: placed}, ensure_ascii=False)
        labels = tuple(
            tuple((text.words_in(start, end), label) for start, end, label in each)
            for text, each in ((src, spans), (tgt, placed))
        )
        return Projected(f"{line}\n", len(placed), tuple(dropped), (labels[0], labels[1]))


def project_labels(
    aligner: WordAligner,
    texts: Sequence[str],
    translations: Sequence[str],
    spans: Sequence[Sequence[TextSpan]],
    placing: Placing | None = None,
    segment: str = "",
) -> list[list[TextSpan | None]]:
    """The labelled spans of texts on their translations; ``None`` for a span that could not be placed.

    Args:
        spans: for each text, its spans: first character, end (exclusive) and label.
        segment: how to find words (:func:`~xalign_fairseq.core.text.segmentation.find_segmenter`); empty: ``icu``
            if it is installed, otherwise ``auto``.

    Raises:
        XalignError: the arguments differ in length, or spans overlap or are not within their text.

    Example::

        aligner = load_aligner("e5-small")
        project_labels(aligner, ["Anna lives in Rome."], ["Anna wohnt in Rom."], [[(14, 18, "LOC")]])
        # [[(14, 17, "LOC")]]
    """
    if not len(texts) == len(translations) == len(spans):
        sizes = f"{len(texts)}, {len(translations)} and {len(spans)}"
        raise XalignError("texts, translations and spans differ in number", found=sizes)
    for number, (text, each) in enumerate(zip(texts, spans, strict=True)):
        check_spans(each, text, f"text {number}")
    find = find_segmenter(segment or segmenter_of_raw_text())
    pairs = [(find(text), find(translation)) for text, translation in zip(texts, translations, strict=True)]
    found: list[list[TextSpan | None]] = []
    for (src, tgt), each, alignment in zip(pairs, spans, aligner.stream(pairs), strict=True):
        places = _place(each, src, tgt, alignment.links, placing or Placing())
        found.append(
            [None if isinstance(to, str) else (*to, label) for to, (_, _, label) in zip(places, each, strict=True)]
        )
    return found


def _place(
    spans: Sequence[TextSpan], src: SegmentedText, tgt: SegmentedText, links: Links, placing: Placing
) -> list[Span | str]:
    """The place of each span in the translation, or why it has none."""
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
