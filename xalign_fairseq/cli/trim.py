"""Trim a model's vocabulary to what a text needs.

Four fifths of the parameters of a small multilingual encoder are embeddings of pieces that a text in two languages
never uses ("Load What You Need", Abdaoui et al. 2020). The trimmed model gives the same pieces and the same hidden
states for that text, and needs less memory in training too. It keeps the pieces of the text, special pieces, single
letters of the text's scripts, digits, punctuation, and the most frequent pieces. Other text in these scripts may be
split into shorter pieces.

--out is a checkpoint if it ends in .pt, otherwise a Hugging Face folder. xalign untrim restores the whole vocabulary
after training.

Example:
  xalign trim --model xlmr.base --text train.de train.en dev.de dev.en --out xlmr.de-en.pt
"""

import argparse

from xalign_fairseq.cli._arguments import add_model, add_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--text",
        nargs="+",
        required=True,
        metavar="FILE",
        help="all text whose pieces must stay the same, one sentence per line",
    )
    add_out(parser, "checkpoint to write (NAME.pt), or folder", metavar="OUT")
    parser.add_argument("--floor", type=int, metavar="N", help="also keep the N most frequent pieces (default: 2000)")
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it exists")


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.data.tokenizers.trimming import FLOOR
    from xalign_fairseq.encoder.pretrained.trimming import write_trimmed

    floor = FLOOR if args.floor is None else args.floor
    options = {"overwrite": args.overwrite, "quiet": args.quiet}
    print(f"{args.out}: {write_trimmed(args.model, args.text, args.out, floor=floor, **options)}")
