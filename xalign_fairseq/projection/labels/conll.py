"""Entity tags in columns (CoNLL-2003 and similar formats), projected onto translations."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from xalign_fairseq.aligner.protocol import Links
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.segmented import SegmentedText, from_words
from xalign_fairseq.data.labelled.examples import read_blocks
from xalign_fairseq.projection.spans import Placing, place
from xalign_fairseq.projection.units import Annotated, Dropped, Label, Piece, Projected, Unit

DOCUMENT = "-DOCSTART-"
_TAG = re.compile(r"O|([BIESLU])-(.+)")
SAMPLE = 10_000  # sentences to read for the tags' scheme


def entity_columns(files: Annotated) -> Iterator[Piece]:
    """Read one word and its columns per line, the last of them the tag, and a blank line after each sentence.

    The columns are separated by tabs or spaces. Tags are BIO (``B-LOC I-LOC O``), IOB1 (a span begins with ``I-``
    unless it follows one of its type) or IOBES and BILOU; the first 10,000 sentences show which. The translation has
    one sentence per line. The output has two columns, with the separator of the source, and BIO. ``-DOCSTART-`` lines
    stay; the translation has none.
    """
    src, tgt = files.src, str(files.tgt)
    blocks = islice((lines for _, lines in read_blocks(src)), SAMPLE)
    scheme = scheme_of([line.split()[-1] for line in lines] for lines in blocks)
    targets, number = enumerate(read_lines(tgt), 1), 0
    for first, lines in read_blocks(src):
        if lines[0].startswith(DOCUMENT):
            yield f"{lines[0]}\n\n"
            lines, first = lines[1:], first + 1
        if lines:
            number, line = next(targets, (number + 1, None))
            if line is None:
                raise _different(src, tgt, f"{tgt} has only {counted(number - 1, 'line')}")
            yield _unit(lines, files.segment(line), f"{src}, line {first}", scheme, files.placing)
    if next(targets, None) is not None:
        raise _different(src, tgt, f"{src} has only {counted(number, 'sentence')}")


def _unit(lines: list[str], tgt: SegmentedText, where: str, scheme: str, placing: Placing) -> Unit:
    separator = "\t" if "\t" in lines[0] else " "
    # A word may contain other white space.
    rows = [line.split("\t") if separator == "\t" else re.split("[ \t]+", line.strip(" \t")) for line in lines]
    words, tags = [row[0] for row in rows], [row[-1].strip() for row in rows]
    src = from_words([word.strip() or "_" for word in words])
    try:
        if min(map(len, rows)) < 2:
            raise XalignError("a word has no tag", where=where)
        if not len(tgt):
            raise XalignError("the translation is empty, so the output lacks this sentence", where=where)
        spans = read_spans(tags, scheme)
    except XalignError as error:
        return Unit.fixed(src, tgt, where, _text(tgt, (), separator), Dropped(" ".join(tags), error.problem))

    def project(links: Links) -> Projected:
        labels, dropped = [], []
        for (span, label), found in zip(spans, place([span for span, _ in spans], links, placing), strict=True):
            if isinstance(found, str):
                dropped.append(Dropped(f"{label} {' '.join(src[span.start : span.stop])}", found))
            else:
                labels.append((found, label))
        return Projected(_text(tgt, labels, separator), len(labels), tuple(dropped), (tuple(spans), tuple(labels)))

    return Unit(src, tgt, where, project, needs_links=bool(spans))


def scheme_of(sentences: Iterator[list[str]]) -> str:
    """How tags mark where spans begin and end: ``IOBES``, ``IOB1`` or ``BIO``."""
    begins = False
    for tags in sentences:
        for before, tag in zip(chain("O", tags), tags, strict=False):
            if tag[:2] in ("E-", "S-", "L-", "U-"):
                return "IOBES"
            begins = begins or (tag[:2] == "B-" and before[2:] != tag[2:])
    return "BIO" if begins else "IOB1"


def read_spans(tags: Sequence[str], scheme: str = "BIO") -> list[Label]:
    """The spans that tags mark; :class:`XalignError` if they are not valid in their scheme.

    Example::

        >>> read_spans(["B-PER", "I-PER", "O", "B-LOC"])
        [(range(0, 2), 'PER'), (range(3, 4), 'LOC')]
    """
    spans: list[Label] = []
    start, label = 0, ""  # start and label of the open span
    for number, tag in enumerate([*tags, "O"]):
        match = _TAG.fullmatch(tag)
        mark, kind = (match[1] or "O", match[2] or "") if match else ("", "")
        mark = {"L": "E", "U": "S"}.get(mark, mark)
        goes_on = mark in "IE" and label == kind != ""
        valid = bool(mark) and (
            (scheme == "IOB1" and mark in "BIO")
            or (scheme == "BIO" and (mark in "BO" or (mark == "I" and goes_on)))
            or (scheme == "IOBES" and (goes_on if mark in "IE" else not label))
        )
        if not valid:
            raise XalignError(f"the tags are not valid {scheme}", where=f"word {number + 1}", found=tag)
        if label and not goes_on:
            spans.append((range(start, number), label))
        if not goes_on:
            start, label = number, kind
        if mark in "ES":
            spans.append((range(start, number + 1), label))
            label = ""
    return spans


def write_tags(words: int, labels: Sequence[Label]) -> list[str]:
    """BIO tags of disjoint spans.

    Example::

        >>> write_tags(3, [(range(0, 2), "PER")])
        ['B-PER', 'I-PER', 'O']
    """
    tags = ["O"] * words
    for span, label in labels:
        for word in span:
            tags[word] = f"{'B' if word == span.start else 'I'}-{label}"
    return tags


def _text(tgt: SegmentedText, labels: Sequence[Label], separator: str) -> str:
    rows = zip(tgt, write_tags(len(tgt), labels), strict=True)
    return "".join(f"{word}{separator}{tag}\n" for word, tag in rows) + "\n"


def _different(src: str, tgt: str, found: str) -> XalignError:
    problem = "the text and its translation have different numbers of sentences"
    return XalignError(problem, where=f"{src}, {tgt}", found=found, expected="a line for each sentence")
