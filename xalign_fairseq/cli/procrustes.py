"""Learn linear maps between languages, in closed form.

They are orthogonal, and written into a checkpoint. For each layer and each language but the pivot, the map takes the
hidden states of that language's words nearest to those of the words that they are linked with (Procrustes, Wu & Dredze
2020, Eq. 1). One pass over the bitext, in the same memory for a corpus of any length; the encoder stays as it is. The
checkpoint is one that --criterion linear_mapping could have trained: xalign align --maps, retrieval and feature-based
transfer read it.

Example:
  xalign procrustes --model checkpoint_best.pt --data data-bin --out mapped.pt
"""

import argparse
import sys

from xalign_fairseq.cli._aligning import positive, progress_bar
from xalign_fairseq.cli._arguments import add_model, add_out
from xalign_fairseq.core.errors import XalignError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign procrustes``."""
    add_model(parser)
    parser.add_argument("--data", required=True, metavar="DIR", help="data-bin with links, of the same dictionary")
    add_out(parser, "the new checkpoint", metavar="PT")
    parser.add_argument("--overwrite", action="store_true", help="replace --out if it exists")
    parser.add_argument("--split", default="train", help="default: %(default)s")
    parser.add_argument("--lang-pairs", metavar="PAIRS", help="such as en-de,en-fr (default: all of the split)")
    parser.add_argument(
        "--pivot-lang", metavar="LANG", help="language to map to (default: en, else the only one that all pairs share)"
    )
    parser.add_argument(
        "--pooling",
        choices=("first", "mean"),
        default="first",
        help="vector of a word: of its first token, or the mean of all (default: %(default)s)",
    )
    parser.add_argument(
        "--device", choices=("auto", "cpu", "cuda"), default="auto", help="default: CUDA if there is one"
    )
    parser.add_argument("--batch-tokens", type=positive, default=8192, metavar="N", help="default: %(default)s")


def run(args: argparse.Namespace) -> None:
    """Check everything, then pass over the data and write."""
    import logging
    from pathlib import Path

    import torch

    import xalign_fairseq
    from xalign_fairseq.core.devices import choose_device
    from xalign_fairseq.core.files import atomic_write, require_outside
    from xalign_fairseq.data.databin import DataBin
    from xalign_fairseq.data.verification import require_unchanged
    from xalign_fairseq.encoder import checkpoint
    from xalign_fairseq.encoder.pretrained.reading import read_pretrained

    if Path(args.out).exists() and not args.overwrite:
        raise XalignError(
            "the output file exists already and was left as it is",
            where=args.out,
            remedy="choose another name, or pass --overwrite",
        )
    device = choose_device(args.device)
    logging.getLogger("fairseq").setLevel(logging.WARNING)  # notices of extras that it does without
    xalign_fairseq.register()
    from xalign_fairseq.tasks.procrustes import LinkedBitext, check_dictionary, procrustes_maps, with_maps

    data = DataBin(args.data)
    require_unchanged(data)
    state, where = read_pretrained(args.model)
    require_outside(where, args.out)
    encoder, _ = checkpoint.load_encoder(state, args.model)
    check_dictionary(state, encoder.config.vocab_size, data)
    pairs = args.lang_pairs.split(",") if args.lang_pairs else None
    bitext = LinkedBitext(data, args.split, pairs, args.pivot_lang, encoder.config.max_positions)
    with atomic_write(args.out, "wb") as out:
        with progress_bar(len(bitext), args.quiet) as progress:
            maps, problems = procrustes_maps(
                encoder.to(device), bitext, pooling=args.pooling, batch_tokens=args.batch_tokens, progress=progress
            )
        torch.save(with_maps(state, maps, data), out)
    if not args.quiet:
        for language, problem in problems.items():
            before, after = (problem.distance(each).mean().item() for each in (None, maps.of(language)))
            print(
                f"{language} -> {bitext.pivot}: {problem.pairs} word pairs; mean squared distance over all layers "
                f"{before:.4g}, mapped {after:.4g}",
                file=sys.stderr,
            )
