"""The dtype of an encoder that is only read: what ``auto`` takes, and what is converted."""

import copy

import pytest
import torch
from torch import nn

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.dtypes import convert, dtype_of
from xalign_fairseq.encoder.transformer import Encoder

CPU = torch.device("cpu")
TOKENS = torch.tensor([[0, 5, 6, 2], [0, 11, 2, 1]])


@pytest.fixture
def encoder():
    torch.manual_seed(0)
    return Encoder(EncoderConfig(12, 2, 32, 64, 2, max_positions=10)).eval()


def test_float32_is_the_encoder_as_it_was(encoder):
    before = copy.deepcopy(encoder)
    convert(encoder, CPU, "float32")
    assert dtype_of(encoder) == "float32" and isinstance(encoder.sentence_encoder.embed_tokens, nn.Embedding)
    assert torch.equal(encoder.states(TOKENS).layer(), before.states(TOKENS).layer())


def test_bfloat16_is_what_all_weights_in_it_give_without_a_copy_of_the_embeddings(encoder):
    whole = copy.deepcopy(encoder).to(torch.bfloat16)
    table = encoder.sentence_encoder.embed_tokens.weight
    convert(encoder, CPU, "bfloat16")
    assert dtype_of(encoder) == "bfloat16"
    assert encoder.sentence_encoder.embed_tokens.table.data_ptr() == table.data_ptr()
    for layer in range(3):
        assert torch.equal(encoder.states(TOKENS).layer(layer), whole.states(TOKENS).layer(layer))
