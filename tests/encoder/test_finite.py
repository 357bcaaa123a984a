"""Hidden states that are not finite: the model's own fault, or one text's."""

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.finite import bad_layer, finite_rows
from xalign_fairseq.encoder.transformer import Encoder

TOKENS = torch.tensor([[0, 5, 6, 2], [0, 11, 2, 1]])


@pytest.fixture(params=["", "de,en"])
def encoder(request):
    torch.manual_seed(0)
    config = EncoderConfig(12, 3, 32, 64, 2, max_positions=10, language_embeddings=request.param)
    return Encoder(config).eval().requires_grad_(False)


def states(encoder, layer=2):
    read = encoder.states(Input(TOKENS, languages=torch.tensor([[0], [1]]) if encoder.config.languages else None))
    return [read.layer(each) for each in (1, layer)]


def test_a_sound_model(encoder):
    assert bad_layer(encoder) is None and finite_rows(encoder, states(encoder)).tolist() == [True, True]


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_the_first_bad_layer_is_named(encoder, value):
    encoder.name = "model.pt"
    encoder.sentence_encoder.layers[1].fc1.weight[0] = value
    assert bad_layer(encoder) == 2
    with pytest.raises(XalignError, match=r"not finite[\s\S]*model\.pt[\s\S]*from layer 2 on"):
        finite_rows(encoder, states(encoder))
    encoder.sentence_encoder.embed_positions.weight[2:4] = value
    assert bad_layer(encoder) == 0
    with pytest.raises(XalignError, match="from the embeddings on"):
        finite_rows(encoder, states(encoder))


def test_one_word_that_overflows_is_not_the_models_fault(encoder):
    encoder.sentence_encoder.embed_tokens.weight[11] = torch.inf
    for layer in (0, 3):
        assert finite_rows(encoder, states(encoder, layer)).tolist() == [True, False]
    assert finite_rows(encoder, [each.half() for each in states(encoder)]).tolist() == [True, False]
