"""Align the words of sentence pairs with a trained encoder.

Writes one line per pair, in the order of the input and also for a pair with an empty side: Pharaoh links "i-j"
(0-based words), or JSON with words and link probabilities. A pair that is longer than the encoder's positions is cut,
both sides by the same proportion, and counted on stderr.

Example:
  xalign align --checkpoint checkpoint_best.pt --src test.en --tgt test.de --out test.links
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from xalign_fairseq.cli._aligning import (
    PLAN_FILTERS,
    add_model_arguments,
    add_text_arguments,
    load_aligner,
    open_pairs,
    progress_bar,
    read_fitting_gold,
)
from xalign_fairseq.errors import XalignError

if TYPE_CHECKING:
    from xalign_fairseq.alignment.pharaoh import Gold
    from xalign_fairseq.alignment.sentence_pairs import SentencePairs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign align``."""
    add_text_arguments(parser)
    parser.add_argument("--out", default="-", metavar="FILE", help="output; - is standard output (default)")
    parser.add_argument("--format", choices=("pharaoh", "json"), default="pharaoh", help="default: pharaoh")
    parser.add_argument(
        "--layer",
        type=int,
        metavar="L",
        help="layer of the hidden states: 0 embeddings, -1 last (default: the one that the model labelled itself with, "
        "else 10/12 of the depth)",
    )
    parser.add_argument(
        "--filter", choices=PLAN_FILTERS, default=PLAN_FILTERS[0], help="from plan to links (default: itermax)"
    )
    add_model_arguments(parser)
    plot = parser.add_argument_group("picture of one pair (needs matplotlib)")
    plot.add_argument("--plot", metavar="PNG", help="draw the link matrix of a pair into this file")
    plot.add_argument("--plot-line", type=int, default=1, metavar="N", help="line of the pair (default: 1, the first)")
    plot.add_argument("--gold", metavar="FILE", help="gold links to draw as outlines: i-j sure, ipj possible")


def run(args: argparse.Namespace) -> None:
    """Align, write, and tell what was done on stderr."""
    from xalign_fairseq.alignment.formats import FORMATS

    pairs = open_pairs(args)
    gold = _plotted_gold(args, pairs)
    aligner = load_aligner(args, args.layer, args.filter)
    form = FORMATS[args.format]
    links = cut = 0
    with _output(args.out) as out, progress_bar(len(pairs), args.quiet) as progress:
        out.write(form.begin())
        for number, alignment in enumerate(aligner.stream(pairs, progress), 1):
            out.write(form.line(alignment, number) + "\n")
            links += len(alignment.links)
            cut += alignment.cut
            if args.plot and number == args.plot_line:
                from xalign_fairseq.plots.links import plot_links

                plot_links(alignment.src, alignment.tgt, alignment.links, args.plot, gold=gold)
        out.write(form.end())
    if cut:
        limit = aligner.encoder.config.max_positions
        print(f"warning: {cut} of {len(pairs)} pairs are longer than {limit} tokens and were cut", file=sys.stderr)
    if not args.quiet:
        print(
            f"{len(pairs)} pairs, {links} links; layer {aligner.layer} of {aligner.encoder.config.encoder_layers}, "
            f"{aligner.pair_encoder.encoding} encoding, {aligner.similarity} similarity, {args.filter}, "
            f"{aligner.device}",
            file=sys.stderr,
        )


def _plotted_gold(args: argparse.Namespace, pairs: "SentencePairs") -> "Gold | None":
    """Check what the picture needs before the work begins; the gold links of its pair."""
    if not args.plot:
        if args.gold:
            raise XalignError(
                "gold links are only drawn into a picture", where="--gold", next="add --plot FILE.png, or xalign score"
            )
        return None
    from xalign_fairseq.plots.figure import require_matplotlib

    require_matplotlib()
    if not 1 <= args.plot_line <= len(pairs):
        raise XalignError(
            "there is no such pair", where="--plot-line", found=args.plot_line, expected=f"1 to {len(pairs)}"
        )
    if not args.gold:
        return None
    return read_fitting_gold(args.gold, pairs)[args.plot_line - 1]


@contextmanager
def _output(path: str) -> Iterator[IO[str]]:
    from xalign_fairseq.files import atomic_write

    if path == "-":
        yield sys.stdout
        sys.stdout.flush()
    else:
        with atomic_write(path) as stream:
            yield stream
