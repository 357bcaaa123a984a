"""Training text to files of links, by a tool of others or an encoder."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.tools.engines import CHECKPOINT, CheckpointEngine, Engine, ToolEngine, choose_engine
from xalign_fairseq.aligner.tools.files import LinkFiles
from xalign_fairseq.aligner.tools.filters import EMPTY, ordered_filters
from xalign_fairseq.aligner.tools.side_file import write_links
from xalign_fairseq.aligner.tools.tools import TOOLS
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import scratch_folder
from xalign_fairseq.core.progress import progress, say
from xalign_fairseq.core.text.pairs import SentencePairs
from xalign_fairseq.encoder.pretrained import packaged
from xalign_fairseq.links.symmetrize import METHODS


@dataclass(frozen=True)
class LinksRun:
    """A text to link, and how.

    Attributes:
        src: source sentences.
        tgt: target sentences.
        out: the links; a prefix where pairs are dropped.
        engine: ``auto``, ``eflomal``, ``fast_align`` or ``checkpoint``.
        model: an encoder (default: the packaged one).
        options: of its aligner.
        symmetrize: how both directions of a tool become one, ``""`` the usual way.
        directions: prefix of files for either direction of a tool.
        filters: of :func:`~xalign_fairseq.aligner.tools.filters.ordered_filters`.
        overwrite: replace existing outputs, once the new are complete.
        quiet: no progress and no notes.
        echo: show a tool's own progress.
    """

    src: str
    tgt: str
    out: str
    engine: str = "auto"
    model: str | None = None
    options: AlignerOptions = field(default_factory=AlignerOptions)
    symmetrize: str | None = None
    directions: str | None = None
    filters: tuple[str, ...] = ()
    overwrite: bool = False
    quiet: bool = False
    echo: bool = False


def link_files(run: LinksRun) -> tuple[dict[str, Any], Path]:
    """Align, filter and write; the manifest, and its file.

    Raises:
        XalignError: an engine is missing, an option does not go with it, or a file is in the way.
    """
    filters = ordered_filters(run.filters)
    name, why = choose_engine(run.engine, run.model)
    _check_options(run, name)
    files = LinkFiles.of(run.src, run.tgt, run.out, drops_pairs=EMPTY in filters, directions=run.directions)
    read = (run.model, run.options.dictionary, run.options.spm)
    files.check(run.overwrite, tuple(path for path in read if path))
    pairs = SentencePairs(run.src, run.tgt)
    files.links.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(files.links) as folder:
        engine = _engine(run, name, folder)
        if not run.quiet:
            say(f"{len(pairs)} pairs; links by {name} ({why})")
        engine.run(pairs)
        with progress(total=len(pairs), unit=" pairs", quiet=run.quiet) as bar:
            manifest = write_links(engine.stream(pairs, bar.update), files, filters, engine.describe())
    return manifest, files.manifest


def _engine(run: LinksRun, name: str, folder: Path) -> Engine:
    if name in TOOLS:
        return ToolEngine(TOOLS[name], run.symmetrize or next(iter(METHODS)), folder, run.echo)
    model = run.model or packaged.NAME
    return CheckpointEngine(Aligner.from_pretrained(model, run.options), model)


def _check_options(run: LinksRun, engine: str) -> None:
    """Raise :class:`XalignError` for an option that does not go with the engine."""
    if engine == CHECKPOINT:
        for option in ("symmetrize", "directions"):
            if getattr(run, option) is not None:
                raise XalignError(
                    "a checkpoint's links have no directions: both sides share one transport plan",
                    parameter=option,
                    remedy=("leave it out, or take", Parameter("engine", "eflomal"), "or fast_align"),
                )
        return
    for option in run.options.given():
        raise XalignError(
            f"{engine} does not use options of checkpoints",
            parameter=option,
            remedy=("leave it out, or set", Parameter("model")),
        )
