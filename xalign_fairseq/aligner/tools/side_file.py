"""Links to files: filtered, counted and written with a manifest that says where they come from."""

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from xalign_fairseq.aligner.tools.engines import LinkedPair
from xalign_fairseq.aligner.tools.files import LinkFiles
from xalign_fairseq.aligner.tools.filters import EMPTY, IDENTICAL, ONE_TO_ONE, drop_identical, keep_one_to_one
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.text.containers import text_sha256
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.version import __version__
from xalign_fairseq.links.pharaoh import Link, format_links

FORMAT = 1


def write_links(
    pairs: Iterable[LinkedPair], files: LinkFiles, filters: tuple[str, ...], engine: dict[str, Any]
) -> dict[str, Any]:
    """Filter the links of all pairs and write the files; return the manifest, which is one of them.

    Nothing is written unless the end is reached; memory does not grow with the number of pairs. The manifest's counts
    add up: links found are those dropped as identical, as not one-to-one, and those kept; pairs are those written and
    those dropped.

    Args:
        pairs: in the order of the text.
        files: what is read and written.
        filters: of :func:`~xalign_fairseq.aligner.tools.filters.ordered_filters`.
        engine: what made the links, for the manifest.

    Raises:
        XalignError: the filters leave no pair.

    Example::

        manifest = write_links(engine.stream(pairs, bar.update), files, ("identical",), engine.describe())
        manifest["counts"]["links"]  # {"forward": 911, "backward": 934, "found": 872, "identical": 10, ...}
    """
    inputs = {
        side: {"file": str(path), "sha256": text_sha256(path)}
        for side, path in (("src", files.src), ("tgt", files.tgt))
    }
    with ExitStack() as stack:
        # Entered first and so renamed last: where the manifest is, the other files are.
        note = stack.enter_context(atomic_write(files.manifest))
        counts = _write_pairs(pairs, files, filters, stack)
        manifest = {
            "format": FORMAT,
            "xalign_fairseq": __version__,
            **inputs,
            "engine": engine,
            "filters": list(filters),
            "counts": counts,
        }
        json.dump(manifest, note, ensure_ascii=False, indent=1)
        note.write("\n")
    return manifest


def _write_pairs(
    pairs: Iterable[LinkedPair], files: LinkFiles, filters: tuple[str, ...], stack: ExitStack
) -> dict[str, dict[str, int]]:
    links_file = stack.enter_context(atomic_write(files.links))
    texts = _open(stack, files.texts)
    directions = _open(stack, files.directions)
    of_links, of_pairs = Counter[str](), Counter[str]()
    lines = zip(read_lines(files.src), read_lines(files.tgt), strict=True)
    for pair, text in zip(pairs, lines, strict=True):
        if pair.directions is not None:
            of_links.update(forward=len(pair.directions[0]), backward=len(pair.directions[1]))
            for file, found in zip(directions, pair.directions, strict=False):
                file.write(format_links(found) + "\n")
        links = _filter(pair, filters, of_links)
        written = bool(links) or EMPTY not in filters
        is_so = {
            "read": True,
            "blank": not (pair.src and pair.tgt),
            "too_long": pair.too_long,
            "without_link": not links,
            "dropped": not written,
            "written": written,
        }
        of_pairs.update({name: int(so) for name, so in is_so.items()})  # an empty Counter takes True as it is
        if written:
            links_file.write(format_links(links) + "\n")
            for file, line in zip(texts, text, strict=False):
                file.write(line + "\n")
    if not of_pairs["written"]:
        raise XalignError(
            "no sentence pair has a link left",
            where=f"{files.src}, {files.tgt}",
            found=f"{of_links['found']} links before the filters",
            remedy=("check that the texts belong together and differ, or leave out", Parameter("filters")),
        )
    return {"links": dict(of_links), "pairs": dict(of_pairs)}


def _filter(pair: LinkedPair, filters: tuple[str, ...], count: Counter[str]) -> set[Link]:
    """The links that are left; what each filter dropped is added to the counts."""
    links = set(pair.links)
    different = drop_identical(links, pair.src, pair.tgt) if IDENTICAL in filters else links
    kept = keep_one_to_one(different) if ONE_TO_ONE in filters else different
    count.update(
        found=len(links),
        identical=len(links) - len(different),
        not_one_to_one=len(different) - len(kept),
        kept=len(kept),
    )
    return kept


def _open(stack: ExitStack, paths: tuple[Path, Path] | None) -> tuple[IO[str], ...]:
    return tuple(stack.enter_context(atomic_write(path)) for path in paths or ())
