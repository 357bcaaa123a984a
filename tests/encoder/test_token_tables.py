import copy

import pytest
import torch
from support import four_bit_files
from torch import nn

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.four_bit import FourBitFile
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.token_tables import Lookup, convert, dtype_of
from xalign_fairseq.encoder.transformer import Encoder

CPU = torch.device("cpu")
TOKENS = torch.tensor([[0, 5, 6, 2], [0, 11, 2, 1]])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_rows_equal_the_table(dtype):
    table = torch.randn(12, 8)
    rows = Lookup(table, dtype)(TOKENS)
    assert rows.dtype == dtype and torch.equal(rows, table.to(dtype)[TOKENS])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_four_bit_rows_equal_the_unpacked_table(dtype, small_file):
    file = FourBitFile(small_file)
    shape = (file.sizes.rows, file.sizes.hidden)
    found = Lookup(file.blocks("emb.word", *shape), dtype)(TOKENS)
    assert torch.equal(found, torch.from_numpy(file.matrix("emb.word", *shape)).to(dtype)[TOKENS])


def test_an_encoder_with_lookup_has_the_same_states(small_file):
    encoders = [checkpoint.load_encoder(*read_pretrained(small_file, lookup=lookup))[0] for lookup in (False, True)]
    whole, looked = ([encoder.states(TOKENS).layer(layer) for layer in range(3)] for encoder in encoders)
    assert all(torch.equal(one, other) for one, other in zip(whole, looked, strict=True))
    assert encoders[0].config.encoder_embed_dim == encoders[1].config.encoder_embed_dim == four_bit_files.HIDDEN
    assert hasattr(encoders[0], "lm_head") and not hasattr(encoders[1], "lm_head")
    assert encoders[1].device == torch.device("cpu")


@pytest.fixture
def encoder():
    torch.manual_seed(0)
    return Encoder(EncoderConfig(12, 2, 32, 64, 2, max_positions=10)).eval()


def test_float32_leaves_the_encoder_unchanged(encoder):
    before = copy.deepcopy(encoder)
    convert(encoder, CPU, "float32")
    assert dtype_of(encoder) == "float32" and isinstance(encoder.sentence_encoder.embed_tokens, nn.Embedding)
    assert torch.equal(encoder.states(TOKENS).layer(), before.states(TOKENS).layer())


def test_bfloat16_equals_converted_weights_without_copying_the_embeddings(encoder):
    whole = copy.deepcopy(encoder).to(torch.bfloat16)
    table = encoder.sentence_encoder.embed_tokens.weight
    convert(encoder, CPU, "bfloat16")
    assert dtype_of(encoder) == "bfloat16"
    assert encoder.sentence_encoder.embed_tokens.table.data_ptr() == table.data_ptr()
    for layer in range(3):
        assert torch.equal(encoder.states(TOKENS).layer(layer), whole.states(TOKENS).layer(layer))
