"""Link the words of training text, by eflomal or an encoder.

The engine is eflomal, fast_align or an encoder. Reads tokenised text as `xalign prepare` does (words are separated by
white space) and writes one line of 0-based links "i-j" for each pair, which `xalign prepare --links` takes, and beside
it FILE.json: what made the links, and how many each step kept. eflomal and fast_align run in both directions, which are
symmetrised; a checkpoint's links have no direction. eflomal draws at random, so that two runs differ in a few links.

Filters, always in this order (Wu & Dredze, 2020): identical drops links between equal words (the same string, case
included), one-to-one keeps those of the rest whose two words have no other link, empty drops pairs without a link: then
new texts are written too, OUT.links beside OUT.SRC and OUT.TGT, with the suffixes of the texts given.

Examples:
  xalign links --src train.en --tgt train.de --out train.links
  xalign links --src all.en --tgt all.de --out train --engine fast_align --filters wu-dredze
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xalign_fairseq.aligner.tools.filters import EMPTY, FILTERS, WU_DREDZE
from xalign_fairseq.cli._aligning import (
    add_link_arguments,
    add_model_arguments,
    load_aligner,
    method_options,
    progress_bar,
    show_log,
)
from xalign_fairseq.cli._arguments import add_out
from xalign_fairseq.cli._parser import CommandParser
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.links import symmetrize

if TYPE_CHECKING:
    from xalign_fairseq.aligner.tools.engines import Engine
    from xalign_fairseq.aligner.tools.files import LinkFiles

ENGINES = ("auto", "eflomal", "fast_align", "checkpoint")
SYMMETRIZATIONS = tuple(symmetrize.METHODS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign links``."""
    parser.add_argument("--src", required=True, metavar="FILE", help="source sentences, one a line")
    parser.add_argument("--tgt", required=True, metavar="FILE", help="target sentences, one a line")
    add_out(parser, "the links; a prefix with --filters empty")
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default="auto",
        help="default: auto, the model if one is given, else eflomal if it is installed, else fast_align",
    )
    parser.add_argument(
        "--symmetrize", choices=SYMMETRIZATIONS, help=f"both directions into one (default: {SYMMETRIZATIONS[0]})"
    )
    parser.add_argument(
        "--directions", metavar="PREFIX", help="write PREFIX.fwd and PREFIX.rev too: either direction, unfiltered"
    )
    parser.add_argument(
        "--filters", nargs="+", choices=(*FILTERS, WU_DREDZE), default=[], help="wu-dredze: all three (default: none)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace existing outputs, once the new are complete")
    _add_checkpoint_arguments(parser)


def _add_checkpoint_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser, packaged=False)
    add_link_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Check, align, filter, write, and tell what was done on stderr."""
    from xalign_fairseq.aligner.tools.engines import choose_engine
    from xalign_fairseq.aligner.tools.files import LinkFiles
    from xalign_fairseq.aligner.tools.filters import ordered_filters

    filters = ordered_filters(args.filters)
    name, why = choose_engine(args.engine, args.model)
    _refuse_strays(args, name)
    files = LinkFiles.of(args.src, args.tgt, args.out, drops_pairs=EMPTY in filters, directions=args.directions)
    files.check(args.overwrite, tuple(path for path in (args.model, args.dict, args.spm) if path))
    manifest = _make(args, files, filters, name, why)
    if not args.quiet:
        print("\n".join([*summary(manifest), f"all counts in {files.manifest}"]), file=sys.stderr)


def _make(args: argparse.Namespace, files: "LinkFiles", filters: tuple[str, ...], name: str, why: str) -> dict:
    from xalign_fairseq.aligner.sentence_pairs import SentencePairs
    from xalign_fairseq.aligner.tools.side_file import write_links

    pairs = SentencePairs(args.src, args.tgt)
    files.links.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{files.links.name}.", suffix=".tmp", dir=files.links.parent) as folder:
        engine = _engine(args, name, Path(folder))
        if not args.quiet:
            print(f"{len(pairs)} pairs; links by {name} ({why})", file=sys.stderr)
        engine.run(pairs)
        with progress_bar(len(pairs), args.quiet) as progress:
            return write_links(engine.stream(pairs, progress), files, filters, engine.describe())


def _engine(args: argparse.Namespace, name: str, folder: Path) -> "Engine":
    from xalign_fairseq.aligner.tools.engines import CheckpointEngine, ToolEngine
    from xalign_fairseq.aligner.tools.tools import TOOLS

    if name in TOOLS:
        echo = not args.quiet and sys.stderr.isatty()
        return ToolEngine(TOOLS[name], args.symmetrize or SYMMETRIZATIONS[0], folder, echo)
    show_log(args.quiet)
    options = {**method_options(args), "filter": args.filter}
    return CheckpointEngine(load_aligner(args, args.layer, args.method, options), args.model)


def _refuse_strays(args: argparse.Namespace, engine: str) -> None:
    """An option that the engine has no use for is an error, not silence."""
    if engine == "checkpoint":
        for option in ("symmetrize", "directions"):
            if getattr(args, option) is not None:
                raise XalignError(
                    "a checkpoint's links have no directions: both sides share one transport plan",
                    where=f"--{option}",
                    remedy="leave it out, or take --engine eflomal or fast_align",
                )
        return
    parser = CommandParser()
    _add_checkpoint_arguments(parser)
    for option, default in vars(parser.parse_args([])).items():
        if getattr(args, option) != default:
            raise XalignError(
                f"{engine} has no use for an option of checkpoints",
                where=f"--{option.replace('_', '-')}",
                remedy="leave it out, or give --model MODEL",
            )


def summary(manifest: dict[str, Any]) -> list[str]:
    """Links and pairs, a line for each, and a warning about pairs that were too long."""
    links, pairs = manifest["counts"]["links"], manifest["counts"]["pairs"]
    directions = f"{links['forward']} forward, {links['backward']} backward, " if "forward" in links else ""
    lines = [
        f"links: {directions}{links['found']} found, {links['identical']} of identical words dropped, "
        f"{links['not_one_to_one']} not one-to-one dropped, {links['kept']} kept",
        f"pairs: {pairs['read']} read, {pairs['blank']} with a blank side, {pairs['without_link']} without a link, "
        f"{pairs['dropped']} dropped, {pairs['written']} written",
    ]
    if pairs["too_long"]:
        lines.append(f"warning: {pairs['too_long']} pairs are too long for the aligner and were left without links")
    return lines
