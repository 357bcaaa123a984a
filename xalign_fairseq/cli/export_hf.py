"""Turn a checkpoint into a Hugging Face folder.

AutoModelForMaskedLM and AutoTokenizer load it. The model is a checkpoint of xalign or of fairseq's XLM-R (.pt), a
folder with one, as a training leaves it, or e5-small, the packaged encoder. DIR gets config.json, model.safetensors,
the tokenizer's files, a model card (README.md) with the record of the training, and, for what Hugging Face's models
have no place for, xalign.json and xalign_heads.safetensors, which xalign reads again. An encoder that transformers runs
(ModernBERT, mGTE, ...) goes back into the model that it began with: --onto MODEL.

Examples:
  xalign export-hf --model aligner/checkpoint_best.pt --out my-aligner
  xalign export-hf --model checkpoint_best.pt --out my-mmbert --onto jhu-clsp/mmBERT-base
"""

import argparse

from xalign_fairseq.cli._arguments import add_model, add_out
from xalign_fairseq.core.errors import Parameter, XalignError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign export-hf``."""
    add_model(parser, "checkpoint (.pt), the folder of a training run, XLM-R's archive, or e5-small")
    add_out(parser, "the folder to write", metavar="DIR")
    parser.add_argument(
        "--sentence-transformers",
        choices=("mean", "cls"),
        metavar="POOLING",
        help="a folder that SentenceTransformer loads too: vectors of length 1 by the mean of all tokens, or cls",
    )
    parser.add_argument(
        "--layer",
        type=int,
        default=-1,
        metavar="L",
        help="of these vectors; the layers above it are left out (default: the last)",
    )
    parser.add_argument(
        "--onto",
        metavar="MODEL",
        help="of an encoder that transformers runs (ModernBERT, mGTE, ...): the Hugging Face model that it began with, "
        "whose files DIR gets with the trained weights",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace DIR if it exists")


def run(args: argparse.Namespace) -> None:
    """Read and write."""
    from xalign_fairseq.encoder.pretrained.exporting import export

    if args.layer != -1 and args.sentence_transformers is None:
        remedy = ("set", Parameter("sentence_transformers", "mean"))
        raise XalignError("a layer is of sentence vectors", parameter="layer", remedy=remedy)
    if args.onto is not None and args.sentence_transformers is not None:
        raise XalignError("an encoder that transformers runs is no folder of sentence-transformers", parameter="onto")
    options = {"pooling": args.sentence_transformers, "layer": args.layer, "onto": args.onto}
    export(args.model, args.out, overwrite=args.overwrite, **options)
    print(f"{args.out}: written" + ("" if args.onto else "; look at README.md, the model card, before you share it"))
