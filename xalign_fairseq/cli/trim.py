"""Cut a model's vocabulary down to what a text needs.

"Load What You Need" (Abdaoui et al. 2020). Four in five parameters of a small multilingual encoder are embeddings of
pieces that a text of two languages never has. The trimmed model cuts that text into the same pieces and gives it the
same hidden states, at a part of the size: the masked-language-model head and the optimiser's moments shrink too. Kept
are the pieces of the text, special ones, single letters of the text's scripts, digits, punctuation, and the most
frequent pieces of all; other text in these scripts is cut into shorter pieces where one is missing.

--out is a checkpoint if it ends in .pt, else a Hugging Face folder, which transformers loads too. xalign untrim puts a
trimmed model that was trained back into the whole vocabulary.

Example:
  xalign trim --model xlmr.base --text train.de train.en dev.de dev.en --out xlmr.de-en.pt
"""

import argparse

from xalign_fairseq.cli._arguments import add_model, add_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign trim``."""
    add_model(parser)
    parser.add_argument(
        "--text", nargs="+", required=True, metavar="FILE", help="all text that is to stay as it is, a sentence a line"
    )
    add_out(parser, "checkpoint to write (NAME.pt), or folder", metavar="OUT")
    add_floor_argument(parser)
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it exists")


def add_floor_argument(parser: argparse.ArgumentParser) -> None:
    """``--floor``."""
    parser.add_argument(
        "--floor",
        type=int,
        metavar="N",
        help="keep the N most frequent pieces of all too, whether the text has them or not (default: 2000)",
    )


def run(args: argparse.Namespace) -> None:
    """Write the trimmed model and print its size."""
    from xalign_fairseq.data.tokenizers.trimming import FLOOR
    from xalign_fairseq.encoder.pretrained.trimming import write_trimmed

    floor = FLOOR if args.floor is None else args.floor
    options = {"overwrite": args.overwrite, "progress": not args.quiet}
    print(f"{args.out}: {write_trimmed(args.model, args.text, args.out, floor=floor, **options)}")
