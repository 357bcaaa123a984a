"""Translated sentences with their tokenizer and a small encoder, for tests of sentence vectors."""

import pytest
import torch

from support.small import move
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.data.tokenizers.spm_training import train_sentencepiece
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder

GERMAN = ["das Haus", "ein rotes Auto", "der Hund schläft im großen Garten", "wo ist die Katze?", "ja", "das Haus"]
ENGLISH = ["the house", "a red car", "the dog sleeps in the large garden", "where is the cat?", "yes", "the home"]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text"
    path.write_text("".join(f"{line}\n" for line in (GERMAN + ENGLISH) * 20), encoding="utf-8")
    return SentencePieceTokenizer(train_sentencepiece([scan(path)], 60, seed=1))


@pytest.fixture(scope="module")
def encoder(tokenizer):
    torch.manual_seed(0)
    encoder = Encoder(EncoderConfig(tokenizer.dictionary.embedding_size, 3, 16, 32, 2, max_positions=40, dropout=0.5))
    move(encoder)
    return encoder.eval()
