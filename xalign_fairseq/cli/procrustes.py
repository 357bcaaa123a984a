"""Learn orthogonal linear maps between languages, in closed form.

For each layer and each language except the pivot, the map brings the hidden states of that language's words closest to
those of their linked words (Procrustes; Wu & Dredze 2020, Eq. 1). The bitext is read once; memory does not grow with
it. The encoder does not change.
xalign align --maps, xalign retrieve and feature-based transfer read the result, as they read a checkpoint trained with
--criterion linear_mapping.

Example:
  xalign procrustes --model checkpoint_best.pt --data data-bin --out mapped.pt
"""

import argparse
import sys

from xalign_fairseq.cli._arguments import add_device, add_model, add_out, parse_as
from xalign_fairseq.core.counts import counted, listed
from xalign_fairseq.transport.names import WORD_POOLINGS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("--data", required=True, metavar="DIR", help="data-bin with links and the model's dictionary")
    add_out(parser, "the new checkpoint", metavar="PT")
    parser.add_argument("--overwrite", action="store_true", help="replace --out if it exists")
    pairs = "for example en-de,en-fr (default: all)"
    parser.add_argument("--lang-pairs", type=listed, metavar="PAIRS", help=pairs)
    parser.add_argument(
        "--pivot-lang",
        metavar="LANG",
        help="language that all pairs share (default: en, otherwise the only one that all share)",
    )
    parser.add_argument(
        "--pooling",
        choices=WORD_POOLINGS,
        default="first",
        help="vector of a word: its first token, or the mean of its tokens (default: %(default)s)",
    )
    add_device(parser)


def run(args: argparse.Namespace) -> None:
    """Write the checkpoint; print the distance of words from their translations, before and after."""
    from xalign_fairseq.training.procrustes import MappedCheckpoint

    for each in parse_as(MappedCheckpoint, args).write():
        if not args.quiet:
            print(
                f"{each.language} -> {each.pivot}: {counted(each.word_pairs, 'word pair')}; mean squared distance "
                f"over all layers {each.before:.4g}, mapped {each.after:.4g}",
                file=sys.stderr,
            )
