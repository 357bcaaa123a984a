import logging

import pytest
import torch
from support import sentences
from support.sentences import GERMAN

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.encoder.sentence_vectors import bad_layer, finite_rows, mapped, retrieval_layer, sentence_vectors
from xalign_fairseq.encoder.transformer import Encoder

encoder, tokenizer = sentences.encoder, sentences.tokenizer


def test_a_probe_can_be_trained_on_them(encoder, tokenizer):
    vectors = sentence_vectors(encoder, tokenizer, GERMAN[:2], 1)
    torch.nn.Linear(16, 2)(vectors).sum().backward()
    assert not vectors.requires_grad and not vectors.is_inference()


@pytest.mark.parametrize("layer", [0, 2, -1])
def test_a_vector_is_the_mean_over_all_tokens_of_the_sentence(encoder, tokenizer, layer):
    vectors = sentence_vectors(encoder, tokenizer, GERMAN, layer)
    exact = encoder.double()
    for sentence, vector in zip(GERMAN, vectors, strict=True):
        tokens = torch.tensor([[0, *tokenizer.encode(sentence), 2]])
        torch.testing.assert_close(vector.double(), exact.states(tokens).layer(layer)[0].mean(0), rtol=1e-4, atol=1e-5)
    encoder.float()
    assert vectors.dtype == torch.float32


def test_cls_is_the_state_of_the_first_token(encoder, tokenizer):
    for sentence, vector in zip(GERMAN, sentence_vectors(encoder, tokenizer, GERMAN, 2, pooling="cls"), strict=True):
        state = encoder.states(torch.tensor([[0, *tokenizer.encode(sentence), 2]])).layer(2)[0, 0]
        torch.testing.assert_close(vector, state, rtol=1e-4, atol=1e-5)
    with pytest.raises(XalignError, match="unknown pooling"):
        sentence_vectors(encoder, tokenizer, GERMAN, 2, pooling="max")


@pytest.mark.parametrize("max_tokens", [1, 40, 10_000])
def test_batches_change_nothing_and_equal_sentences_have_equal_vectors(encoder, tokenizer, max_tokens):
    done = []
    vectors = sentence_vectors(encoder, tokenizer, GERMAN, 2, max_tokens=max_tokens, progress=done.append)
    torch.testing.assert_close(vectors, sentence_vectors(encoder, tokenizer, GERMAN, 2), rtol=1e-4, atol=1e-5)
    assert vectors[0].tolist() == vectors[5].tolist()
    assert sum(done) == len(set(GERMAN))
    assert not vectors.requires_grad


def test_long_sentences_are_cut_and_counted(encoder, tokenizer, caplog):
    long = "das Haus " * 30
    cut = tokenizer.encode(long)[:38]
    with caplog.at_level(logging.WARNING):
        [vector] = sentence_vectors(encoder, tokenizer, [long], 1)
    assert "truncated to the encoder's 40 positions: 1 sentence" in caplog.text
    torch.testing.assert_close(vector, encoder.states(torch.tensor([[0, *cut, 2]])).layer(1)[0].mean(0))


def test_the_default_layer_is_seven_twelfths_of_the_depth():
    configs = [EncoderConfig(40, layers, 16, 32, 2) for layers in (1, 3, 6, 12, 24)]
    assert [retrieval_layer(config, None) for config in configs] == [1, 2, 4, 7, 14]


def test_a_language_without_a_map_does_not_change():
    vectors, maps = torch.randn(4, 6), LanguageMaps(["de"], "en", 2, 6)
    with torch.no_grad():
        maps.of("de").normal_()
    torch.testing.assert_close(mapped(vectors, maps, "de", 1), vectors @ maps.of("de")[1].detach())
    assert mapped(vectors, maps, "fr", 1) is vectors and mapped(vectors, None, "de", 1) is vectors


TOKENS = torch.tensor([[0, 5, 6, 2], [0, 11, 2, 1]])


@pytest.fixture(params=["", "de,en"])
def model(request):
    torch.manual_seed(0)
    config = EncoderConfig(12, 3, 32, 64, 2, max_positions=10, language_embeddings=request.param)
    return Encoder(config).eval().requires_grad_(False)


def states(model, layer=2):
    read = model.states(Input(TOKENS, languages=torch.tensor([[0], [1]]) if model.config.languages else None))
    return [read.layer(each) for each in (1, layer)]


def test_a_sound_model(model):
    assert bad_layer(model) is None and finite_rows(model, states(model)).tolist() == [True, True]


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_the_first_bad_layer_is_named(model, value):
    model.name = "model.pt"
    model.sentence_encoder.layers[1].fc1.weight[0] = value
    assert bad_layer(model) == 2
    with pytest.raises(XalignError, match=r"not finite[\s\S]*model\.pt[\s\S]*from layer 2 on"):
        finite_rows(model, states(model))
    model.sentence_encoder.embed_positions.weight[2:4] = value
    assert bad_layer(model) == 0
    with pytest.raises(XalignError, match="from the embeddings on"):
        finite_rows(model, states(model))


def test_one_word_that_overflows_is_not_the_models_fault(model):
    model.sentence_encoder.embed_tokens.weight[11] = torch.inf
    for layer in (0, 3):
        assert finite_rows(model, states(model, layer)).tolist() == [True, False]
    assert finite_rows(model, [each.half() for each in states(model)]).tolist() == [True, False]
