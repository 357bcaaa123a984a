import json

import pytest
import sentencepiece
import torch
from support.checkpoints import old_state, roberta, tokens  # noqa: F401
from support.huggingface_folders import BERT_SYMBOLS, POSITIONS, SIZES, TEXT, XLM_R_SETTINGS
from support.small import move
from support.text import sentencepiece_model
from support.tiny_checkpoint import tiny_checkpoint, tiny_spm, tiny_state, tiny_text  # noqa: F401


@pytest.fixture(scope="session")
def train_spm():
    """Train a sentencepiece model of the text; options are the trainer's."""

    def train(prefix, **options):
        path = prefix.with_name(prefix.name + ".model")
        path.write_bytes(sentencepiece_model(TEXT * 10, vocab_size=400, character_coverage=1.0, **options))
        return path

    return train


@pytest.fixture(scope="session")
def spm(train_spm, tmp_path_factory):
    return train_spm(tmp_path_factory.mktemp("spm") / "m")


@pytest.fixture(scope="session")
def vocab_size(spm):
    """Of the XLM-R."""
    return sentencepiece.SentencePieceProcessor(str(spm)).get_piece_size() + 2


@pytest.fixture(scope="session")
def build(transformers, vocab_size):
    """Make a model of a library class with non-trivial biases, layer norms and token type."""

    def build(kind="XLMRobertaForMaskedLM", **options):
        own = {"vocab_size": len(BERT_SYMBOLS), "max_position_embeddings": POSITIONS}
        if kind.startswith("Bert"):
            config = transformers.BertConfig(**{**SIZES, **own, **options})
        else:
            own = {"vocab_size": vocab_size, "max_position_embeddings": POSITIONS + 2}
            config = transformers.XLMRobertaConfig(**{**SIZES, **XLM_R_SETTINGS, **own, **options})
        torch.manual_seed(0)
        model = getattr(transformers, kind)(config).eval()
        move(model)
        return model

    return build


@pytest.fixture
def save(tmp_path, spm):
    """Write a model and the tokenizer as a folder."""

    def save(model, **options):
        folder = tmp_path / "folder"
        model.save_pretrained(folder, **options)
        if model.config.model_type != "xlm-roberta":
            (folder / "vocab.txt").write_text("".join(f"{symbol}\n" for symbol in BERT_SYMBOLS), encoding="utf-8")
            (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False}))
        else:
            (folder / "sentencepiece.bpe.model").write_bytes(spm.read_bytes())
        return folder

    return save


@pytest.fixture
def folder(build, save):
    """Of an XLM-R."""
    return save(build())


@pytest.fixture
def make_tokens():
    """A padded batch of ids, all but the first ``specials`` of ``size``; one row fills all positions."""

    def make(size, specials=4, pad=1, begin=0, end=2):
        generator = torch.Generator().manual_seed(1)
        batch = torch.full((4, POSITIONS), pad)
        for row, length in zip(batch, (POSITIONS, 2, 7, 13), strict=True):
            row[:length] = torch.randint(specials, size, (length,), generator=generator)
            row[0], row[length - 1] = begin, end
        return batch

    return make
