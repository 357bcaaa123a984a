import random

import pytest
from support.aligners import small_encoder
from support.text import sentencepiece_model
from support.tiny_checkpoint import WORDS

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer
from xalign_fairseq.transport.linking import Linking


@pytest.fixture(scope="module")
def tokenizer():
    """Short pieces, so that most words have several."""
    rng = random.Random(0)
    lines = [" ".join(rng.sample(WORDS, 6)) for _ in range(300)]
    return SentencePieceTokenizer(sentencepiece_model(lines, model_type="bpe", vocab_size=40))


@pytest.fixture
def aligner(tokenizer):
    return Aligner(small_encoder(tokenizer), tokenizer, Linking(layers=(2,)))


@pytest.fixture(scope="module")
def pairs():
    rng = random.Random(1)
    sides = [[" ".join(rng.choices(WORDS, k=rng.randint(0, 14))) for _ in range(60)] for _ in range(2)]
    return list(zip(*sides, strict=True))
