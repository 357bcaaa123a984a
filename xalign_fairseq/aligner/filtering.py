"""Remove pairs that are not translations from a bitext, by the scores of their links."""

from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path

from xalign_fairseq.aligner.link_files import LinkFiles
from xalign_fairseq.aligner.pair_scores import parse_score
from xalign_fairseq.aligner.run import AlignRun, align_files
from xalign_fairseq.aligner.run_record import run_record
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, XalignError, check_values
from xalign_fairseq.core.files import atomic_write, require_place
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.output import remove_leftovers, require_record, require_replaceable
from xalign_fairseq.core.progress import say
from xalign_fairseq.core.text.containers import file_of, kind_of
from xalign_fairseq.core.text.memory_units import memory_units
from xalign_fairseq.core.text.segmentation import segmenter_versions
from xalign_fairseq.links.linked_text import LinkedText

LEAST_SCORE = 0.5


@dataclass(frozen=True)
class FilterRun:
    """A bitext to filter, and how.

    Attributes:
        out: prefix P of the outputs: the kept text, ``P.SRC`` and ``P.TGT`` with the suffixes of the given files; its
            links, ``P.links``; the scores of all pairs, ``P.scores``; the dropped pairs with their scores,
            ``P.dropped.tsv``; and, for two languages of one translation memory, the memory without their units,
            ``P.tmx``.
        aligning: how to align the text; ``text``, ``out`` and ``format`` are ignored.
        min_score: minimum score of a kept pair.
        scores: scores of this text from an earlier run; the text is then not aligned.
        resume: continue unfinished scores, and reuse finished scores of the same text and options.

    Example::

        >>> from xalign_fairseq.aligner.options import AlignerOptions
        >>> run = FilterRun("all.en", "all.de", "clean", AlignRun((), "e5-small", AlignerOptions()))
        >>> run.min_score
        0.5
    """

    src: str
    tgt: str
    out: str
    aligning: AlignRun
    min_score: float = LEAST_SCORE
    scores: str = ""
    resume: bool = False

    @property
    def memory(self) -> str:
        """The translation memory with both texts, or an empty string."""
        file = file_of(self.src)
        return file if kind_of(file) == ".tmx" and file_of(self.tgt) == file else ""

    @property
    def prefix(self) -> str:
        out = self.out.removesuffix(".links")
        return out.removesuffix(".tmx") if self.memory else out

    @property
    def dropped(self) -> Path:
        """The output of the dropped pairs."""
        return Path(f"{self.prefix}.dropped.tsv")

    @property
    def clean_memory(self) -> Path | None:
        """The output of the memory, if there is one."""
        return Path(f"{self.prefix}.tmx") if self.memory else None


def filter_files(run: FilterRun) -> str:
    r"""Score the pairs of a bitext and write the pairs with at least ``min_score``; returns the counts in one line.

    Raises:
        XalignError: an option or file is wrong, or scores and text do not match. The error names the line.

    Example::

        >>> from xalign_fairseq.aligner.options import AlignerOptions
        >>> for name, line in (("a.en", "the house"), ("a.de", "das Haus"), ("given", ".9\t" * 6 + "0-0 1-1")):
        ...     _ = Path(name).write_text(f"{line}\n")
        >>> run = FilterRun("a.en", "a.de", "clean", AlignRun((), "", AlignerOptions()), scores="given")
        >>> filter_files(run)  # writes clean.en, clean.de, clean.links, clean.dropped.tsv
        '1 pair, 1 kept with a score of 0.5 or more, 0 without links'
    """
    check_values("the minimum score is out of range", ("min_score", run.min_score, 0 <= run.min_score <= 1, "0 to 1"))
    files = LinkFiles((run.src, run.tgt), run.prefix, drops_pairs=True)
    scores = run.scores or f"{run.prefix}.scores"
    others = [run.dropped, *filter(None, [run.clean_memory])]
    if any(Path(scores).resolve() == path.resolve() for path in (*files.outputs, *others)):
        raise XalignError("an output would replace the scores", where=scores, parameter="out")
    files.check((scores,) if run.scores else ())
    for path in others:
        require_place(path, (file_of(run.src), file_of(run.tgt)))
    require_replaceable(files.links, "pharaoh")
    require_replaceable(run.dropped, "scores")  # also begins with a score
    for path in [] if run.dropped.exists() else [*files.new_texts, *others]:
        require_replaceable(path, "unknown")
    done = [] if run.scores else _score(run, Path(scores))
    text = LinkedText(run.src, run.tgt, scores, run.aligning.segment, table=True)
    return "\n".join([*done, keep_pairs(text, files, run)])


def _score(run: FilterRun, scores: Path) -> list[str]:
    """Make the scores unless complete ones of the same text and options exist; returns what was done."""
    made_from, part = Path(f"{scores}.json"), Path(f"{scores}.part")
    aligning = replace(run.aligning, text=(run.src, run.tgt), out=str(scores), format="scores")
    segment = segmenter_versions(aligning.segment)
    record = run_record(aligning.text, aligning.model, aligning.options, segment=segment)
    if run.resume and not part.exists() and scores.is_file() and made_from.is_file():
        require_record(scores, read_json(made_from), record, "or score again without", Parameter("resume"))
        remove_leftovers(str(scores))
        return []
    made_from.unlink(missing_ok=True)
    report = align_files(replace(aligning, resume=run.resume and part.exists()))
    write_json(made_from, record)
    if report.warning:
        say(f"warning: {report.warning}")
    return [report.summary]


def keep_pairs(text: LinkedText, files: LinkFiles, run: FilterRun) -> str:
    """Write the pairs with at least ``min_score``, their links, and the others; returns the counts in one line."""
    read = kept = unlinked = unjudged = 0
    with ExitStack() as stack:
        memory = stack.enter_context(atomic_write(run.clean_memory, "wb")) if run.clean_memory else None
        src, tgt, links, dropped = (  # the last is renamed first, and marks the others as this command's
            stack.enter_context(atomic_write(path)) for path in (*files.new_texts, files.links, run.dropped)
        )
        units = memory_units(run.memory) if memory else repeat((b"", b""))
        for line, (before, unit) in zip(text.lines(), units, strict=False):
            score, found = parse_score(line.links, f"{text.paths[2]}, line {line.number}")
            src_words, tgt_words, _ = text.pair(line._replace(links=found))  # raises for links outside of the words
            read += 1
            unlinked += not found
            keeps = score >= run.min_score
            kept += keeps
            unjudged += keeps and len(src_words) == len(tgt_words) == 1
            if keeps:
                for stream, text_of_line in ((src, line.src), (tgt, line.tgt), (links, found)):
                    stream.write(f"{text_of_line}\n")
            else:
                sides = (side.replace("\t", " ") for side in (line.src, line.tgt))
                dropped.write("\t".join((f"{score:.4f}", *sides)) + "\n")
            if memory:
                memory.write(before + (unit if keeps else b""))
        if memory:
            memory.write(next(iter(units))[0])
    single = f"; {counted(unjudged, 'pair')} of one word each kept unjudged" if unjudged else ""
    counts = f"{kept:,} kept with a score of {run.min_score:g} or more, {unlinked:,} without links"
    return f"{counted(read, 'pair')}, {counts}{single}"
