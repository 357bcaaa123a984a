"""A BERT-shaped model with random weights, in files that every aligner of the benchmark reads."""

import json
from collections.abc import Iterable
from pathlib import Path

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def make(folder: Path, text: Iterable[str], *, vocabulary: int, seed: int, **sizes: float) -> None:
    """Train a cased WordPiece vocabulary on the text, draw weights, and write both as a Hugging Face folder."""
    import torch
    import transformers

    pieces = _train(text, vocabulary)
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces), encoding="utf-8")
    # Unlike save_pretrained's file: awesome-align 0.1.7 passes every entry to its tokenizer's constructor.
    settings = {"do_lower_case": False, "tokenizer_class": "BertTokenizer", "model_max_length": 512}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings) + "\n")
    torch.manual_seed(seed)
    model = transformers.BertForMaskedLM(transformers.BertConfig(vocab_size=len(pieces), **sizes))
    model.save_pretrained(folder)
    # awesome-align 0.1.7 is older than safetensors.
    torch.save(model.state_dict(), folder / "pytorch_model.bin")


def _train(text: Iterable[str], size: int) -> list[str]:
    """The pieces in the order of their ids."""
    from tokenizers import BertWordPieceTokenizer

    trained = BertWordPieceTokenizer(lowercase=False, strip_accents=False)
    trained.train_from_iterator(text, vocab_size=size, special_tokens=list(SPECIALS), show_progress=False)
    ids = trained.get_vocab()
    return sorted(ids, key=ids.__getitem__)
