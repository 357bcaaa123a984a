"""Align files of sentence pairs into files of links."""

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from xalign_fairseq.aligner.combined import CombinedAligner
from xalign_fairseq.aligner.kept_scores import KeptScores
from xalign_fairseq.aligner.kinds import find_kind
from xalign_fairseq.aligner.load import choice_of, load_aligner, scoring_method, scoring_options
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.pair_scores import Mismatch, score_pair
from xalign_fairseq.aligner.pictures import Pictures
from xalign_fairseq.aligner.protocol import Alignment, WordAligner
from xalign_fairseq.aligner.render.page import Page
from xalign_fairseq.aligner.run_record import run_record
from xalign_fairseq.aligner.statistical.aligner import StatisticalAligner
from xalign_fairseq.aligner.statistical.folder import aligner_folder, is_statistical, learn_models, passes_left
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, Text, XalignError
from xalign_fairseq.core.output import STANDARD_OUTPUT, Output
from xalign_fairseq.core.progress import progress, say
from xalign_fairseq.core.text.containers import file_of, kind_of
from xalign_fairseq.core.text.pairs import (
    KeptPairs,
    PairedText,
    PairStream,
    SentencePairs,
    SpreadPairs,
    is_piped,
    open_pairs,
)
from xalign_fairseq.core.text.segmentation import find_segmenters, require_words, segmenter_versions
from xalign_fairseq.core.text.segmented import SegmentedText
from xalign_fairseq.evaluation.signature import parse_signature
from xalign_fairseq.links.gold import read_gold_text
from xalign_fairseq.links.pharaoh import format_links

logger = logging.getLogger(__name__)


def json_line(alignment: Alignment) -> str:
    """``{"src": words, "tgt": words, "links": [[i, j, probability], ...]}``.

    For a side given as text, ``src_text`` is the text; ``src_chars`` and ``src_bytes`` are the spans of the words in
    characters and in UTF-8 bytes (end exclusive). The target has ``tgt_text`` and so on.

    Example::

        >>> json_line(Alignment(["red"], ["rouge"], {(0, 0): 0.98}))
        '{"src": ["red"], "tgt": ["rouge"], "links": [[0, 0, 0.98]]}'
    """
    links = [[i, j, round(probability, 6)] for (i, j), probability in sorted(alignment.links.items())]
    sides = {"src": alignment.src, "tgt": alignment.tgt}
    places = {
        f"{name}_{kind}": value
        for name, side in sides.items()
        if isinstance(side, SegmentedText)
        for kind, value in (("text", side.text), ("chars", side.spans), ("bytes", side.byte_spans))
    }
    words = {name: list(side) for name, side in sides.items()}
    return json.dumps({**words, "links": links, **places}, ensure_ascii=False)


def words_line(alignment: Alignment) -> str:
    r"""A row of a spreadsheet: source, target and linked words, with tabs between them.

    Example::

        >>> words_line(Alignment(["red", "house"], ["maison", "rouge"], {(0, 1): 0.98, (1, 0): 0.97}))
        'red house\tmaison rouge\tred = rouge; house = maison'
    """
    src, tgt = alignment.src, alignment.tgt
    texts = (side.text if isinstance(side, SegmentedText) else " ".join(side) for side in (src, tgt))
    words = "; ".join(f"{src[i]} = {tgt[j]}" for i, j in sorted(alignment.links))
    return "\t".join([*(text.replace("\t", " ") for text in texts), words])


LINES: dict[str, Callable[[Alignment], str]] = {
    "pharaoh": lambda alignment: format_links(alignment.links),
    "json": json_line,
    "words": words_line,
    "scores": lambda alignment: f"{score_pair(alignment).line()}\t{format_links(alignment.links)}",
}
FEW_PAIRS = 1000  # fewer pairs are too few to learn from
CHOOSING = ("threshold", "growth", "min_probability")  # options that choose links from scores


@dataclass(frozen=True)
class AlignRun:
    """A text to align, and how.

    Attributes:
        text: files of source and target sentences, or one of ``source ||| target`` lines; ``-`` is standard input.
        model: an encoder or the folder of an aligner; ``None``: learn from this text alone, into ``OUT.aligner``.
        learns: learn statistics of this text first, guided by the encoder, into ``OUT.aligner``.
        out: the file of links; ``-`` is standard output.
        format: ``pharaoh``, ``json``, ``words``, ``scores`` or ``html``.
        resume: continue the unfinished output of an interrupted run.
        learn_from: the number of pairs to learn from, evenly spread over the text; ``None``: all.
    """

    text: tuple[str, ...]
    model: str | None
    options: AlignerOptions
    learns: bool = False
    out: str = STANDARD_OUTPUT
    format: str = "pharaoh"
    segment: str = "auto"
    resume: bool = False
    pictures: Pictures = field(default_factory=Pictures)
    quiet: bool = False
    learn_from: int | None = None

    @property
    def learned_by(self) -> str:
        """The option by which the aligner learns from this text; empty: it does not."""
        return "from_scratch" if self.model is None else "statistics" if self.learns else ""

    @property
    def learned(self) -> Path:
        """The folder of the learned aligner or statistics."""
        return Path(f"{self.out}.aligner")


@dataclass(frozen=True)
class AlignReport:
    """A run's one-line summary, with a warning if the model lacks many words."""

    summary: str
    warning: str | None


def align_files(run: AlignRun) -> AlignReport:
    """Align a text and write its links, one line per pair."""
    options, gold = _check(run), run.pictures.gold
    src, tgt = run.text[0], run.text[1] if len(run.text) == 2 else None
    split = find_segmenters(run.segment)
    pairs, golds = open_pairs(src, tgt, split), None
    require_words(pairs if isinstance(pairs, SentencePairs) else (), run.segment)
    if run.learned_by and tgt and run.segment != "spaces":  # segment once, for learning and for aligning
        pairs = KeptPairs(src, tgt, split, Path(run.out).parent)
    if gold:
        pairs, golds = read_gold_text(src, tgt, gold, needs_links=False, split=split)
    page = Page(golds, options.languages) if run.format == "html" else None
    files = (run.model, run.pictures.gold, options.statistics)
    inputs = [*run.text, *filter(None, files)]
    run.pictures.check_place(pairs, inputs, None if run.out == STANDARD_OUTPUT else run.out)
    # A page can't be continued, because text surrounds its lines; a pipe can't be read again.
    more = {
        "format": run.format,
        "segment": segmenter_versions(run.segment),
        **({run.learned_by: True} if run.learned_by else {}),
        **({} if run.learn_from is None else {"learn_from": run.learn_from}),
    }
    record = run_record(run.text, run.model, options, **more) if isinstance(pairs, SentencePairs) else None
    output = Output(run.out, None if page else record, run.resume, inputs, run.format)
    with _learn_or_load(run, options, pairs, record) as aligner:
        run.pictures.draw(aligner, pairs, golds)
        if page:
            page = replace(page, system=", ".join(filter(None, (run.model, aligner.describe()))))
        counts = _write(aligner, pairs, page or LINES[run.format], output, run)
        return AlignReport(
            f"{counts}; {aligner.describe()}", aligner.unknown().warning("links of these words are unreliable")
        )


def learn(
    model: str | None,
    options: AlignerOptions,
    folder: Path,
    record: Mapping[str, str],
    text: PairedText,
    quiet: bool = False,
) -> WordAligner:
    """Learn statistics of a text into a folder; returns their aligner, together with the encoder that guides them.

    ``model`` is the encoder; ``None``: learn from the text alone. The same call continues an interrupted one.
    """
    # The format and the choice of links do not affect statistics.
    identity = {name: value for name, value in record.items() if name not in ("format", *CHOOSING, "statistics")}
    if model is None:
        if len(text) < FEW_PAIRS:
            few = "%s: statistics need thousands; an encoder (the default, without %s) is better for small texts"
            logger.warning(few, counted(len(text), "pair"), Parameter("from_scratch"))
        with aligner_folder(folder, identity), _passes_bar(folder, quiet) as show:
            return StatisticalAligner(learn_models(text, folder, show), options.min_probability)
    method = scoring_method(model, options.linking, options.maps)
    with ExitStack() as stack:
        encoder = stack.enter_context(load_aligner(model, scoring_options(options, method)))
        with aligner_folder(folder, {**identity, "method": method}):
            kept = KeptScores(encoder, folder)
            with progress(total=len(text), unit=" pairs", quiet=quiet) as bar:
                kept.read(text, bar.update)
            with _passes_bar(folder, quiet) as show:
                trained = learn_models(text, folder, show, kept.guide)
        stack.pop_all()  # the aligner closes the encoder
    return CombinedAligner(kept, trained, method, *choice_of(options))


@contextmanager
def _passes_bar(folder: Path, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    with progress(total=passes_left(folder), unit=" passes", quiet=quiet) as bar:

        def show(units: str, *_: int) -> None:
            bar.set_description(units)
            bar.update()

        yield show


def _check(run: AlignRun) -> AlignerOptions:
    """Check that the options fit together, before anything is learned or read; returns the aligner's."""
    if run.learned_by and (len(run.text) != 2 or any(map(is_piped, run.text)) or run.out == STANDARD_OUTPUT):
        raise XalignError(
            "learning from the text needs files as input and output",
            parameter=run.learned_by,
            expected=("files of source and target, and", Parameter("out", "FILE")),
        )
    if run.learn_from is not None and not run.learned_by:
        expected: Text = (Parameter("from_scratch"), "or", Parameter("statistics"))
        if done := next(filter(is_statistical, (run.options.statistics, run.model)), None):
            expected = (f"{done} already exists: leave out", Parameter("learn_from"))
        raise XalignError("nothing is learned", parameter="learn_from", expected=expected)
    run.pictures.check(run.text, run.format == "html")
    # With the dtype, because a resumed output keeps it: otherwise its lines would differ from an uninterrupted run's.
    return find_kind(run.model, run.options.statistics, run.learns).check(run.options)


def _learn_or_load(
    run: AlignRun, options: AlignerOptions, pairs: SentencePairs | PairStream, record: dict[str, str] | None
) -> WordAligner:
    if run.model is not None and not run.learns:
        return load_aligner(run.model, options)
    assert record and isinstance(pairs, SentencePairs)
    sample = pairs if run.learn_from is None else SpreadPairs(pairs, run.learn_from)
    return learn(run.model, options, run.learned, record, sample, run.quiet)


def _write(
    aligner: WordAligner,
    pairs: SentencePairs | PairStream,
    form: Page | Callable[[Alignment], str],
    output: Output,
    run: AlignRun,
) -> str:
    """Align and write the remaining pairs; returns their number and the speed."""
    total = len(pairs) - output.done if isinstance(pairs, SentencePairs) else None
    number, links, too_long, overflowed, by_icu = output.done, 0, 0, 0, 0
    one_sided = first_one_sided = 0
    line = "unit" if kind_of(file_of(run.text[0])) == ".tmx" else "line"
    scored = parse_signature(aligner.signature()).get("method") == "scored"
    calibrated = scored and not run.options.given().keys() & set(CHOOSING)  # probabilities, by the default threshold
    mismatch = Mismatch() if run.format != "scores" and calibrated else None
    start = time.monotonic()
    with output.open() as out, progress(total=total, unit=" pairs", quiet=run.quiet) as bar:
        out.write(form.begin() if isinstance(form, Page) else "")
        remaining = islice(pairs, output.done, None) if output.done else pairs
        for number, alignment in enumerate(aligner.stream(remaining, bar.update), output.done + 1):
            out.write((form.line(alignment, number) if isinstance(form, Page) else form(alignment)) + "\n")
            if isinstance(pairs, PairStream):  # the writer of the pairs may wait for their links
                out.flush()
            links += len(alignment.links)
            if bool(alignment.src) != bool(alignment.tgt):
                one_sided, first_one_sided = one_sided + 1, first_one_sided or number
            overflowed += not alignment.finite
            by_icu += "auto" in run.segment and any(map(_was_segmented, (alignment.src, alignment.tgt)))
            if alignment.too_long:
                too_long += 1
                words = f"{len(alignment.src)} x {len(alignment.tgt)} words"
                say(f"warning: {line} {number} is too long to align and has no links: {words}")
            if mismatch and (lines := mismatch.lines(number, alignment)):
                problem = f"do not look like translations; is a {line} missing there or before?"
                say(f"warning: {line}s {lines[0]:,} to {lines[1]:,} {problem}")
                mismatch = None  # one warning is enough
        out.write(form.end() if isinstance(form, Page) else "")
    seconds = time.monotonic() - start
    done = number - output.done
    resumed = f" after {output.done:,} of an earlier run" if output.done else ""
    left_out = f", {too_long} too long" if too_long else ""
    left_out += f", {overflowed} with hidden states that are not finite" if overflowed else ""
    what = "new link" if output.done else "link"  # the earlier ones were not counted
    place = "" if run.out == STANDARD_OUTPUT else f"{'; scores' * (run.format == 'scores')} in {run.out}"
    speed = f"{done / seconds:.1f} pairs/s" + (" after learning" if run.learned_by else "")
    left_out += f", {by_icu:,} cut into words by ICU" if by_icu else ""
    left_out += f", {one_sided:,} with one empty side (first: {line} {first_one_sided:,})" if one_sided else ""
    return f"{counted(done, 'pair')}{resumed}{left_out}, {counted(links, what)}{place} ({speed})"


def _was_segmented(side: Sequence[str]) -> bool:
    """Whether the segmenter found words that are not separated by spaces."""
    return isinstance(side, SegmentedText) and len(side) > len(side.text.split())
