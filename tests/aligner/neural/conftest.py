"""A small aligner, and pairs of its words."""

import random

import pytest
from support.aligners import WORDS, small_encoder, train

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.transport.linking import Linking


@pytest.fixture(scope="module")
def tokenizer():
    """Pieces of one to a few letters, so that most words are several."""
    return train("bpe", 40)


@pytest.fixture
def aligner(tokenizer):
    return Aligner(small_encoder(tokenizer), tokenizer, Linking(layers=(2,)))


@pytest.fixture(scope="module")
def pairs():
    rng = random.Random(1)
    sides = [[" ".join(rng.choices(WORDS, k=rng.randint(0, 14))) for _ in range(60)] for _ in range(2)]
    return list(zip(*sides, strict=True))
