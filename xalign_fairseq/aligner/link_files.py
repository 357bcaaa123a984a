"""Files of word links for training: a tool's links, symmetrised and filtered as in Wu & Dredze (2020)."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xalign_fairseq.aligner.tools import Tool, choose_tool
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import atomic_write, require_apart, require_free, require_place, scratch_folder
from xalign_fairseq.core.progress import progress, say
from xalign_fairseq.core.text.containers import file_of, suffix_of, text_sha256
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.pairs import SentencePairs, require_texts
from xalign_fairseq.core.version import __version__
from xalign_fairseq.links.pharaoh import Link, format_links
from xalign_fairseq.links.symmetrize import SYMMETRISATIONS, symmetrize

FORMAT = 1
IDENTICAL, ONE_TO_ONE, EMPTY, WU_DREDZE = "identical", "one-to-one", "empty", "wu-dredze"
FILTERS = (IDENTICAL, ONE_TO_ONE, EMPTY)  # in the order of application


@dataclass(frozen=True)
class LinkFiles:
    """A text and its files of links; with ``drops_pairs``, ``out`` is a prefix of links and new texts."""

    texts: tuple[str, str]
    out: str
    drops_pairs: bool = False
    directions: str = ""

    @property
    def links(self) -> Path:
        return Path(f"{self._prefix}.links" if self.drops_pairs else self.out)

    @property
    def manifest(self) -> Path:
        """The record of how the links were made."""
        return self.links.with_name(f"{self.links.name}.json")

    @property
    def new_texts(self) -> list[Path]:
        """The texts of the kept pairs, if pairs are dropped."""
        return [Path(self._prefix + suffix_of(path)) for path in self.texts] if self.drops_pairs else []

    @property
    def both_directions(self) -> list[Path]:
        """Forward and backward links, if requested."""
        return [Path(f"{self.directions}.{end}") for end in ("fwd", "rev")] if self.directions else []

    @property
    def outputs(self) -> list[Path]:
        return [self.links, *self.new_texts, *self.both_directions, self.manifest]

    @property
    def _prefix(self) -> str:
        return self.out.removesuffix(".links")

    def check(self, other_inputs: tuple[str, ...] = ()) -> None:
        """Check the texts; an output must not be a folder, an input or another output."""
        require_texts(*self.texts)
        for text in self.texts if self.drops_pairs else ():
            if not suffix_of(text):
                raise XalignError(
                    "the names of the new text files cannot be derived",
                    where=text,
                    found="no suffix that names the language",
                    expected="names like all.en and all.de, from which P.en and P.de are made",
                )
        for path in self.outputs:
            require_place(path, (*map(file_of, self.texts), *other_inputs))
        require_apart(self.outputs, ("out", "directions") if self.directions else ("out",))


@dataclass(frozen=True)
class LinksRun:
    """A text to link by an ``engine``, and filters that drop links, then pairs (:data:`FILTERS`)."""

    src: str
    tgt: str
    out: str
    engine: str = "auto"
    symmetrize: str = next(iter(SYMMETRISATIONS))
    directions: str = ""
    filters: tuple[str, ...] = ()
    overwrite: bool = False
    quiet: bool = False


def link_files(run: LinksRun) -> tuple[dict[str, Any], Path]:
    """Align, filter and write; returns the manifest and its file."""
    filters = tuple(name for name in FILTERS if {name, WU_DREDZE} & set(run.filters))
    files = LinkFiles((run.src, run.tgt), run.out, EMPTY in filters, run.directions)
    files.check()
    if not run.overwrite:
        require_free(*files.outputs)
    tool = choose_tool(run.engine)
    pairs = SentencePairs(run.src, run.tgt)
    files.links.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(files.links) as folder:
        if not run.quiet:
            say(f"{counted(len(pairs), 'pair')}; links by {tool.name}")
        tool.run(pairs, folder)
        with ExitStack() as stack:
            # Opened first, so renamed last: if the manifest exists, all other files exist.
            note = stack.enter_context(atomic_write(files.manifest))
            manifest = {
                "format": FORMAT,
                "xalign_fairseq": __version__,
                "src": {"file": run.src, "sha256": text_sha256(run.src)},
                "tgt": {"file": run.tgt, "sha256": text_sha256(run.tgt)},
                "engine": {**tool.describe(), "symmetrize": run.symmetrize},
                "filters": list(filters),
                "counts": _write(run, pairs, tool, files, filters, folder, stack),
            }
            note.write(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    return manifest, files.manifest


def _write(
    run: LinksRun,
    pairs: SentencePairs,
    tool: Tool,
    files: LinkFiles,
    filters: Sequence[str],
    folder: Path,
    stack: ExitStack,
) -> dict[str, dict[str, int]]:
    """Write filtered links, texts and directions into files that the stack closes; returns the counts."""
    links_file = stack.enter_context(atomic_write(files.links))
    texts = [stack.enter_context(atomic_write(path)) for path in files.new_texts]
    ways = [stack.enter_context(atomic_write(path)) for path in files.both_directions]
    of_links, of_pairs = Counter[str](), Counter[str]()
    bar = stack.enter_context(progress(total=len(pairs), unit=" pairs", quiet=run.quiet))
    lines = zip(read_lines(run.src), read_lines(run.tgt), strict=True)
    for ((src, tgt), (forward, backward)), text in zip(tool.links(pairs, folder), lines, strict=True):
        for file, way in zip(ways, (forward, backward), strict=False):
            file.write(format_links(way) + "\n")
        found = symmetrize(forward, backward, run.symmetrize)
        different = {(i, j) for i, j in found if src[i] != tgt[j]} if IDENTICAL in filters else found
        kept = keep_one_to_one(different) if ONE_TO_ONE in filters else different
        of_links.update(
            forward=len(forward),
            backward=len(backward),
            found=len(found),
            identical=len(found) - len(different),
            not_one_to_one=len(different) - len(kept),
            kept=len(kept),
        )
        written = bool(kept) or EMPTY not in filters
        of_pairs.update(
            read=1,
            blank=int(not (src and tgt)),
            too_long=int(tool.too_long(src, tgt)),
            without_link=int(not kept),
            dropped=int(not written),
            written=int(written),
        )
        if written:
            links_file.write(format_links(kept) + "\n")
            for file, line in zip(texts, text, strict=False):
                file.write(line + "\n")
        bar.update(1)
    if not of_pairs["written"]:
        raise XalignError(
            "no sentence pair has a link left",
            where=f"{run.src}, {run.tgt}",
            found=f"{of_links['found']} links before the filters",
            remedy=("check that the texts belong together and differ, or leave out", Parameter("filters")),
        )
    return {"links": dict(of_links), "pairs": dict(of_pairs)}


def keep_one_to_one(links: Iterable[Link]) -> set[Link]:
    """The links of words without other links."""
    links = set(links)
    of_src, of_tgt = (Counter(link[side] for link in links) for side in (0, 1))
    return {(i, j) for i, j in links if of_src[i] == 1 and of_tgt[j] == 1}
