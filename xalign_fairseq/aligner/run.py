"""Files of sentence pairs to files of links."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path

import torch

from xalign_fairseq.aligner.combined import CombinedAligner, learn_beside
from xalign_fairseq.aligner.load import (
    check_combined,
    check_options,
    load_aligner,
    load_scoring,
    process_devices,
    require_none_of_encoders,
)
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.pictures import Pictures
from xalign_fairseq.aligner.protocol import Progress, WordAligner
from xalign_fairseq.aligner.render.formats import FORMATS, Format
from xalign_fairseq.aligner.render.page import Page
from xalign_fairseq.aligner.run_record import model_state, run_record
from xalign_fairseq.aligner.sentence_pairs import PairStream, SentencePairs, open_pairs
from xalign_fairseq.aligner.statistical.aligner import train_from_scratch
from xalign_fairseq.aligner.statistical.folder import BEGUN, is_statistical
from xalign_fairseq.aligner.statistical.progress import passes_bar
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.output import STANDARD_OUTPUT, Output
from xalign_fairseq.core.progress import progress, say
from xalign_fairseq.encoder.dtypes import choose_dtype

logger = logging.getLogger(__name__)
ALONE, GUIDED = "from_scratch", "statistics"


@dataclass(frozen=True)
class AlignRun:
    """A text to align, and how.

    Attributes:
        text: files of source and target sentences, or one of ``source ||| target`` lines; ``-`` is standard input.
        model: an encoder, or the folder of an aligner from bitext alone; empty where one is learned.
        options: of the aligner.
        learn: ``from_scratch``: an aligner from this text alone, into ``OUT.aligner``; ``statistics``: statistics of
            this text, guided by the encoder, to the same place; empty: nothing is learned.
        out: the file of links; ``-`` is standard output.
        format: ``pharaoh``, ``json`` or ``html``.
        resume: go on with the unfinished output of an interrupted run.
        pictures: what is drawn, and gold links.
        quiet: no progress.
    """

    text: tuple[str, ...]
    model: str
    options: AlignerOptions
    learn: str = ""
    out: str = STANDARD_OUTPUT
    format: str = "pharaoh"
    resume: bool = False
    pictures: Pictures = field(default_factory=Pictures)
    quiet: bool = False

    @property
    def learned(self) -> Path:
        """The folder of what is learned."""
        return Path(f"{self.out}.aligner")


@dataclass(frozen=True)
class AlignReport:
    """What was done: in a line, and a warning about words that the model does not know, if there are many."""

    summary: str
    warning: str | None


def align_files(run: AlignRun) -> AlignReport:
    """Align a text and write its links, a line for each pair.

    Memory does not grow with the number of pairs. All that can be is checked before the work begins.

    Raises:
        XalignError: options do not go together, a file is missing or has an error, or the output is in the way.

    Example::

        align_files(AlignRun(("test.en", "test.de"), "e5-small", AlignerOptions(), out="test.links"))
    """
    pairs = open_pairs(*run.text)
    _check(run, pairs)
    if run.learn == ALONE:
        with passes_bar(run.quiet) as show:
            train_from_scratch(run.text[0], run.text[1], run.learned, show)
        run = replace(run, model=str(run.learned))
    options = run.options
    golds = run.pictures.read_gold(pairs, options.units, run.format == "html")
    files = (options.dictionary, options.spm, run.pictures.gold, options.statistics)
    inputs = [*run.text, run.model, *filter(None, files)]
    run.pictures.check(pairs, inputs, None if run.out == STANDARD_OUTPUT else run.out)
    if not is_statistical(run.model):
        # One dtype for all processes; an output goes on only in its dtype, or its lines would not be those of one run.
        devices = [torch.device(device) for device in process_devices(options)]
        run = replace(run, options=replace(options, dtype=choose_dtype(options.dtype, devices)))
    form = Page(golds, options.languages) if run.format == "html" else FORMATS[run.format]
    # A format with a frame around its lines has no end to go on from; a pipe can't be read once more.
    repeatable = isinstance(pairs, SentencePairs) and not form.begin()
    output = Output(run.out, _record(run) if repeatable else None, run.resume, inputs)
    with _open_aligner(run) as aligner:
        run.pictures.draw(aligner, pairs, golds)
        counts = _write(run, aligner, pairs, form, output)
        return AlignReport(
            f"{counts}; {aligner.describe()}",
            aligner.unknown().warning("links of these words mean little, and those --from-scratch may be better"),
        )


def _check(run: AlignRun, pairs: SentencePairs | PairStream) -> None:
    """That the options go together, before anything is learned or read."""
    if run.learn == ALONE:
        require_none_of_encoders(run.options)
    elif run.learn == GUIDED:
        check_combined(run.model, run.options)
    else:
        check_options(run.model, run.options)
    files = len(run.text) == 2 and isinstance(pairs, SentencePairs) and run.out != STANDARD_OUTPUT
    if run.learn and not files:
        raise XalignError(
            "the text to learn from is read more than once, and the aligner is kept next to the links",
            parameter=run.learn,
            expected="files of source and target as input, and a file as output",
        )


def _record(run: AlignRun) -> dict[str, str]:
    learned = {run.learn: True} if run.learn else {}
    return run_record(run.text, run.model, run.options, format=run.format, **learned)


def _write(run: AlignRun, aligner: WordAligner, pairs: SentencePairs | PairStream, form: Format, output: Output) -> str:
    """Align and write the pairs that are not written yet; how many they were, and how fast it went."""
    total = len(pairs) - output.done if isinstance(pairs, SentencePairs) else None
    number, links, too_long = output.done, 0, 0
    start = time.monotonic()
    with output.open() as out, progress(total=total, unit=" pairs", quiet=run.quiet) as bar:
        out.write(form.begin())
        remaining = islice(pairs, output.done, None) if output.done else pairs
        for number, alignment in enumerate(aligner.stream(remaining, bar.update), output.done + 1):
            out.write(form.line(alignment, number) + "\n")
            links += len(alignment.links)
            if alignment.too_long:
                too_long += 1
                words = f"{len(alignment.src)} x {len(alignment.tgt)} {alignment.units}s"
                say(f"warning: line {number} is too long to be aligned and has no links: {words}")
        out.write(form.end())
    seconds = time.monotonic() - start
    done = number - output.done
    resumed = f" after {output.done} of an earlier run" if output.done else ""
    left_out = f", {too_long} too long" if too_long else ""
    return f"{done} pairs{resumed}{left_out}, {links} links, {done / seconds:.1f} pairs/s"


@contextmanager
def _open_aligner(run: AlignRun) -> Iterator[WordAligner]:
    """The aligner; with statistics that it guides, these are learned first."""
    if run.learn != GUIDED:
        if run.options.statistics:
            _warn_of_another_guide(run.options.statistics, run.model)
        with load_aligner(run.model, run.options) as aligner:
            yield aligner
        return
    # The format and what chooses links have no effect on statistics.
    linking = run.options.linking
    kept = {name: value for name, value in linking.options.items() if name not in ("threshold", "growth")}
    options = replace(run.options, linking=replace(linking, options=kept))
    with load_scoring(run.model, run.options) as encoder:
        text = SentencePairs(*run.text)
        identity = run_record(run.text, run.model, options)
        reading = partial(_reading_bar, quiet=run.quiet)
        scores, trained = learn_beside(encoder, text, run.learned, identity, reading, partial(passes_bar, run.quiet))
        yield CombinedAligner(scores, trained, linking.options.get("threshold"), linking.options.get("growth"))


@contextmanager
def _reading_bar(total: int, quiet: bool) -> Iterator[Progress]:
    with progress(total=total, unit=" pairs", quiet=quiet) as bar:
        yield bar.update


def _warn_of_another_guide(statistics: str, model: str) -> None:
    """Statistics expect the scores of the encoder that guided them: those of another are read, with a warning."""
    begun = Path(statistics) / BEGUN
    guide = read_json(begun).get("model") if begun.is_file() else None  # those from scratch had none
    here = model_state(model)
    if guide not in (None, here):
        logger.warning("statistics: %s were guided by %s, and are read with %s", statistics, guide, here)
