"""Convert a Hugging Face model to a checkpoint.

The model is an XLM-R or BERT model (XLM-Align, InfoXLM, mBERT, LaBSE): a folder, a name on the hub, or e5-small. If OUT
ends in .pt, it is one checkpoint that includes the tokenizer. Otherwise it is a folder with model.pt, dict.txt and
sentencepiece.bpe.model (or wordpiece.json), ready for xalign prepare and fairseq-train --init-checkpoint. No code of
the model is run, and pickles may contain tensors only.

Examples:
  xalign import-hf --model FacebookAI/xlm-roberta-base --out xlmr.base
  xalign import-hf --model bert-base-multilingual-cased --out mbert.pt
"""

import argparse

from xalign_fairseq.cli._arguments import add_model, add_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser, "folder, name on the hub such as FacebookAI/xlm-roberta-base, or e5-small")
    add_out(parser, "checkpoint to write (NAME.pt), or folder", metavar="OUT")
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it exists")


def run(args: argparse.Namespace) -> None:
    from xalign_fairseq.encoder.pretrained.saving import convert
    from xalign_fairseq.trainer.fairseq_train import flag, flags

    config = convert(args.model, args.out, overwrite=args.overwrite)
    print(
        f"{args.out}: {config.encoder_layers} layers of {config.encoder_embed_dim}, {config.encoder_attention_heads} "
        f"heads, {config.vocab_size} ids, {config.max_positions} positions"
    )
    print(f"to train from it: xalign train DATA --init-checkpoint {args.out} ...")
    beyond = {"layer_norm_eps": config.layer_norm_eps, "token_types": config.token_types}
    sizes = flags({flag(name): value for name, value in {**config.as_options(), **beyond}.items()})
    print(f"its sizes, for fairseq-train: {' '.join(sizes)}")
