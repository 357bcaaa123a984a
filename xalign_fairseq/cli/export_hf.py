"""Turn a checkpoint into a Hugging Face folder, which AutoModelForMaskedLM and AutoTokenizer load.

CHECKPOINT is one of xalign or of fairseq's XLM-R (.pt), a folder with one, as a training leaves it, or e5-small, the
packaged encoder. FOLDER gets
config.json, model.safetensors, the tokenizer's files, a model card (README.md) with the record of the training, and,
for what Hugging Face's models have no place for, xalign.json and xalign_heads.safetensors, which xalign reads again.
"""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``xalign export-hf``."""
    parser.add_argument(
        "checkpoint",
        metavar="CHECKPOINT",
        help="checkpoint (.pt), the folder of a training run, XLM-R's archive, or e5-small",
    )
    parser.add_argument("folder", metavar="FOLDER", help="folder to write")
    parser.add_argument("--overwrite", action="store_true", help="replace FOLDER if it exists")


def run(args: argparse.Namespace) -> None:
    """Read and write."""
    import logging

    from xalign_fairseq.pretrained.huggingface.exporting import export

    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    export(args.checkpoint, args.folder, overwrite=args.overwrite)
    print(f"{args.folder}: written; look at README.md, the model card, before you share it")
