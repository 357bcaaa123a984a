"""Restore the whole vocabulary of a trimmed model.

Keeps what was trained. Trimmed pieces get their vectors from the original model, so the result aligns any
text that the original does. xalign train-aligner --trim-vocabulary does this automatically.

Example:
  xalign trim --model xlmr.base --text train.de train.en --out small.pt
  ... training from small.pt ...
  xalign untrim --model checkpoints --original xlmr.base --out trained.pt
"""

import argparse

from xalign_fairseq.cli._arguments import PRETRAINED, add_model, add_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser, f"the trimmed model, trained or not: {PRETRAINED}")
    parser.add_argument("--original", required=True, metavar="MODEL", help="model that it was trimmed from")
    add_out(parser, "checkpoint to write (NAME.pt), or folder", metavar="OUT")
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it exists")


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.encoder.pretrained.trimming import write_untrimmed

    print(f"{args.out}: {write_untrimmed(args.model, args.original, args.out, overwrite=args.overwrite)}")
