"""Project the annotation of a file onto its translation."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, tee
from pathlib import Path
from typing import IO, TypedDict

from xalign_fairseq.aligner.kinds import find_kind
from xalign_fairseq.aligner.load import load_aligner
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.protocol import Alignment, Links, Progress, WordAligner
from xalign_fairseq.aligner.render.page import Page
from xalign_fairseq.aligner.run import json_line, learn
from xalign_fairseq.aligner.run_record import run_record
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import atomic_write, require_apart, require_place
from xalign_fairseq.core.json_files import parse_json, require_form
from xalign_fairseq.core.output import STANDARD_OUTPUT, Output, is_plain, require_replaceable
from xalign_fairseq.core.progress import progress, say
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.segmentation import INSTALL, find_segmenter, segmenter_versions
from xalign_fairseq.links.pharaoh import check_bounds, parse_line, require_links_of
from xalign_fairseq.projection.formats import AnnotationFormat, find_format, require_ending
from xalign_fairseq.projection.spans import Placing
from xalign_fairseq.projection.units import Annotated, Piece, Unit


@dataclass(frozen=True)
class ProjectRun:
    """A file with annotation, its translation, and how to project.

    Attributes:
        tgt: the translation; ``None`` for a format that contains both.
        out: the annotated translation; ``-`` is standard output.
        format: a name of :data:`~xalign_fairseq.projection.formats.ANNOTATIONS`; empty: by the name of ``src``.
        segment: how to find the words of raw text; empty: ICU for JSON lines and markup, if it
            is installed and ``links`` is not a Pharaoh file; otherwise ``auto``.
        placing: how spans are placed.
        links: file of links of each sentence pair, Pharaoh or JSON; ``None``: the aligner finds them.
        learns: learn statistics of the sentence pairs, guided by the encoder, into ``OUT.aligner``, and use them.
        report: table (TSV) of the annotations that were not placed: place, item, reason.
        page: file for an HTML page of the pairs with links and the labels of both sides.
        resume: continue an interrupted run.

    Example::

        >>> run = ProjectRun("page.html", "page.de.txt", "page.de.html", model="e5-small")
        >>> run.placing.max_gap
        3
    """

    src: str
    tgt: str | None = None
    out: str = STANDARD_OUTPUT
    format: str = ""
    segment: str = ""
    placing: Placing = field(default_factory=Placing)
    links: str | None = None
    model: str = ""
    options: AlignerOptions = field(default_factory=AlignerOptions)
    learns: bool = False
    report: str | None = None
    page: str | None = None
    resume: bool = False
    quiet: bool = False


@dataclass
class ProjectReport:
    """Counts of a run: sentence pairs, placed annotations, and dropped ones by reason."""

    units: int = 0
    placed: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    item: str = "annotation"

    @property
    def summary(self) -> str:
        """The report in lines."""
        annotations = f"{counted(self.placed, self.item)} placed, {self.dropped.total()} not placed"
        lines = [f"{counted(self.units, 'sentence pair')}, {annotations}"]
        return "\n".join([*lines, *(f"{count:8} {reason}" for reason, count in self.dropped.most_common())])


def project_files(run: ProjectRun) -> ProjectReport:
    """Project the annotation of a file onto its translation, and write the result.

    The file is first read once to find errors, and then piece by piece. ``OUT.links`` keeps the links: give them as
    ``links`` to project again with other options. An interrupted run continues from the links that the aligner has
    found. Without ``OUT.links``, an existing output counts as another file and is not replaced.

    Raises:
        XalignError: a file is missing or malformed, options contradict each other, or the output is another file.

    Example::

        >>> from pathlib import Path
        >>> line = '{"text": "red house", "translation": "maison rouge", "spans": [[0, 3, "COLOUR"]]}'
        >>> Path("spans.jsonl").write_text(line) > 0
        True
        >>> project_files(ProjectRun("spans.jsonl", out="projected.jsonl", model="e5-small", quiet=True)).placed
        1
    """
    form = find_format(run.format, run.src, run.tgt)
    files = [path for path in (run.src, run.tgt, run.links, run.options.statistics, run.model) if path]
    kept = f"{run.out}.links" if is_plain(run.out) else os.devnull
    own = any(map(os.path.exists, (kept, f"{kept}.part")))  # an earlier run's
    kinds = {"out": "" if own else "unknown", "report": "report", "page": "html"}
    places = {name: getattr(run, name) for name in kinds if getattr(run, name) not in (None, STANDARD_OUTPUT)}
    for name, place in places.items():
        require_place(place, files)
        require_replaceable(place, kinds[name])
    require_apart([*places.values(), kept, f"{run.out}.aligner"], [*places])
    require_ending(run.out, form)
    options = _check(run, form)
    segment = run.segment or form.segmenter(run.links)
    if not run.segment and segment == "auto" and form.raw and not run.links and not run.quiet:
        say(f"words are separated by spaces, so labels and tags may include punctuation. To separate it: {INSTALL}")
    run = replace(run, segment=segment, options=options)
    read = partial(form.read, Annotated(run.src, run.tgt, find_segmenter(run.segment), run.placing))
    text = AnnotatedPairs(read)
    units = len(text)
    if run.links:
        require_links_of(units, sum(1 for _ in read_lines(run.links)), run.links)
    pieces, others = tee(read())
    annotated = (piece for piece in others if isinstance(piece, Unit))
    report = ProjectReport(item=form.item)
    with ExitStack() as stack:
        if run.links:
            linked = _from_file(annotated, run.links, run.options.min_probability or 0.0)
            stack.enter_context(atomic_write(kept)).writelines(f"{line}\n" for line in read_lines(run.links))
        else:
            linked = _from_aligner(annotated, run, text, files, stack, lambda pairs: bar.update(pairs))
        out = stack.enter_context(Output(run.out, None, False, files).open())
        listed = stack.enter_context(atomic_write(run.report)) if run.report else None
        if listed:
            listed.write("place\titem\treason\n")
        bar = stack.enter_context(progress(total=units, unit=" pairs", quiet=run.quiet))
        page = Page(languages=run.options.languages)
        shown = stack.enter_context(atomic_write(run.page)) if run.page else None
        if shown:
            shown.write(page.begin())
        for piece in pieces:
            if isinstance(piece, str):
                out.write(piece)
                continue
            links = next(linked)
            projected = piece.project(links)
            out.write(projected.text)
            report.units += 1
            report.placed += projected.placed
            for each in projected.dropped:
                report.dropped[each.reason] += 1
                if listed:
                    fields = (" ".join(field.split()) for field in (piece.where, each.item, each.reason))
                    listed.write("\t".join(fields) + "\n")
            if shown and piece.needs_links:
                pair = Alignment(piece.src, piece.tgt, links)
                shown.write(page.line(pair, report.units, projected.labels) + "\n")
            bar.update(max(0, report.units - bar.n))
        next(linked, None)  # the aligner's stream ends, and closes its pool
        if shown:
            shown.write(page.end())
    return report


def extract_texts(src: str, out: str = STANDARD_OUTPUT, format: str = "", quiet: bool = False) -> None:
    """Write the plain text of a marked-up file, one line per text; its translation is :class:`ProjectRun`'s ``tgt``.

    Unless ``quiet``, a warning on stderr counts the lines with several paragraphs or cells.

    Raises:
        XalignError: the file is missing or not of the format, or the format has no markup.
    """
    form = find_format(format, src, None, extract=True)
    units = [piece for piece in form.read(Annotated(src)) if isinstance(piece, Unit)]
    text = "".join(" ".join(unit.src.text.splitlines()) + "\n" for unit in units)
    same = is_plain(out) and os.path.isfile(out) and Path(out).read_bytes() == text.encode()
    with Output(out, None, False, [src], "" if same else "unknown").open() as stream:
        stream.write(text)
    several = [unit.where for unit in units if unit.several]
    if several and not quiet:
        problem = "several paragraphs or cells in one line; put each on its own line first"
        say(f"warning: {several[0]}: {problem} ({counted(len(several), 'such line')})")


class AnnotatedPairs:
    """The sentence pairs of an annotated file, as words, read again at each iteration."""

    def __init__(self, read: Callable[[], Iterator[Piece]]):
        self._read = read
        self._length = sum(isinstance(piece, Unit) for piece in read())

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[tuple[list[str], list[str]]]:
        return ((piece.src.words, piece.tgt.words) for piece in self._read() if isinstance(piece, Unit))


def _check(run: ProjectRun, form: AnnotationFormat) -> AlignerOptions:
    """The aligner's options, if they fit."""
    names = [name for name in ("max_gap", "min_share") if getattr(run.placing, name) != getattr(Placing, name)]
    if names and not form.spans:
        raise XalignError("the format has no labels of spans", where=run.src, parameter=names)
    if run.learns:
        needs = ("out", is_plain(run.out), "a file as output"), ("links", not run.links, "links or statistics")
        for name, fits, expected in needs:
            if not fits:
                problem = "nothing can be learned from the text"
                raise XalignError(problem, parameter=("statistics", name), expected=expected)
    if not run.links:
        return find_kind(run.model, run.options.statistics, run.learns).check(run.options)
    unused = [name for name in ("model", "resume") if getattr(run, name)]
    unused += [name for name in run.options.given() if name != "min_probability"]
    if unused:
        raise XalignError("links are given, so no aligner is needed", parameter=("links", *unused))
    return run.options


def _from_file(units: Iterable[Unit], path: str, least: float) -> Iterator[Links]:
    """The links of each unit from a file that have at least a minimum probability."""
    for number, (unit, line) in enumerate(zip(units, read_lines(path), strict=False), 1):
        found = read_line(line, unit, path, number)
        yield {link: probability for link, probability in found.items() if probability >= least}


class LinkedWords(TypedDict):
    """A line of links in JSON."""

    src: list[str]
    tgt: list[str]
    links: list[tuple[int, int, float]]


def read_line(line: str, unit: Unit, path: str, number: int) -> Links:
    """The links of a unit, ``i-j`` (with probability 1) or the JSON of ``xalign align``."""
    where = f"{path}, line {number}"
    if not unit.needs_links and not len(unit.src):  # invalid annotation, whose words are not known
        return {}
    if not line.startswith("{"):
        links = dict.fromkeys(parse_line(line, where=where).possible, 1.0)
        if unit.counted:
            src, tgt = unit.counted()
            check_bounds([links], [(len(src), len(tgt))], where=path, first=number, segmented=True)
            links = {(i, j): 1.0 for a, b in links for i in src[a] for j in tgt[b]}
    else:
        content = require_form(parse_json(line, where, finite=True), LinkedWords, where)
        for ours, theirs in ((unit.src, content["src"]), (unit.tgt, content["tgt"])):
            if list(ours) != theirs:
                problem, expected = "the links belong to other words", f"{unit.where}: {[*ours]}"
                remedy = "if the text is the same, give the segmenter that found them as", Parameter("segment")
                raise XalignError(problem, where=where, found=theirs, expected=expected, remedy=remedy)
        links = {(i, j): probability for i, j, probability in content["links"]}
    check_bounds([links], [(len(unit.src), len(unit.tgt))], where=path, first=number, segmented=True)
    return links


def _from_aligner(
    units: Iterator[Unit], run: ProjectRun, text: AnnotatedPairs, files: list[str], stack: ExitStack, done: Progress
) -> Iterator[Links]:
    """The aligner's links of each unit, stored next to the output; links of an interrupted run are read first."""
    options, learns = run.options, {"statistics": True} if run.learns else {}
    sides, segment = (run.src,) if run.tgt is None else (run.src, run.tgt), segmenter_versions(run.segment)
    record = run_record(sides, run.model, options, format=run.format, segment=segment, **learns)
    kept = Output(f"{run.out}.links" if is_plain(run.out) else os.devnull, record, run.resume, files)
    aligner: WordAligner
    if run.learns:
        aligner = learn(run.model, options, Path(f"{run.out}.aligner"), record, text, run.quiet)
    else:
        aligner = load_aligner(run.model, options)
    return _kept(units, stack.enter_context(aligner), kept, stack.enter_context(kept.open()), done)


def _kept(
    units: Iterator[Unit], aligner: WordAligner, kept: Output, stream: IO[str], done: Progress
) -> Iterator[Links]:
    """The links of an earlier run, then new links, which are stored. Units with nothing to project have none."""
    if kept.done:
        yield from _from_file(islice(units, kept.done), f"{kept.part}", 0.0)
    units, others = tee(units)
    pairs = ((unit.src.words, unit.tgt.words) if unit.needs_links else ([], []) for unit in others)
    for unit, alignment in zip(units, aligner.stream(pairs, done), strict=True):
        if alignment.too_long:
            say(f"warning: {unit.where}: the pair is too long to align and has no links")
        stream.write(json_line(Alignment(unit.src.words, unit.tgt.words, alignment.links)) + "\n")
        yield {link: round(probability, 6) for link, probability in alignment.links.items()}
