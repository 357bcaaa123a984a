"""Convert a checkpoint to a Hugging Face folder.

AutoModelForMaskedLM and AutoTokenizer load the result. DIR gets config.json, model.safetensors, the tokenizer files and
a model card (README.md) with the training record. xalign.json and xalign_heads.safetensors keep what only xalign reads.
--onto is needed for an encoder that transformers runs (ModernBERT, DeBERTa).

Examples:
  xalign export-hf --model aligner/checkpoint_best.pt --out my-aligner
  xalign export-hf --model checkpoint_best.pt --out my-mmbert --onto jhu-clsp/mmBERT-base
"""

import argparse

from xalign_fairseq.cli._arguments import add_model, add_out
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.transport.names import SENTENCE_POOLINGS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser, "checkpoint (.pt), the folder of a training run, XLM-R's archive, or e5-small")
    add_out(parser, "the folder to write", metavar="DIR")
    parser.add_argument(
        "--sentence-transformers",
        choices=SENTENCE_POOLINGS,
        metavar="POOLING",
        help="write a folder that SentenceTransformer loads, too; unit vectors: the mean of all tokens, or cls",
    )
    parser.add_argument(
        "--layer",
        type=int,
        default=-1,
        metavar="L",
        help="layer of the sentence vectors; higher layers are dropped (default: the last)",
    )
    parser.add_argument(
        "--onto",
        metavar="MODEL",
        help="Hugging Face model that the training started from, for encoders that transformers runs; DIR gets "
        "its files with the trained weights",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace DIR if it exists")


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.encoder.pretrained.exporting import export
    from xalign_fairseq.encoder.pretrained.reading import find_pretrained

    if args.layer != -1 and args.sentence_transformers is None:
        remedy = ("set", Parameter("sentence_transformers", "mean"))
        raise XalignError("layer applies to sentence vectors only", parameter="layer", remedy=remedy)
    if args.onto is not None and args.sentence_transformers is not None:
        raise XalignError(
            "an encoder that transformers runs cannot become a sentence-transformers folder", parameter="onto"
        )
    found = find_pretrained(args.model)
    options = {"pooling": args.sentence_transformers, "layer": args.layer, "onto": args.onto}
    export(found, args.out, overwrite=args.overwrite, **options)
    card = "" if args.onto else "; check the model card, README.md, before you share it"
    print(f"{args.out}: written from {found}{card}")
