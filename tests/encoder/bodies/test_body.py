from dataclasses import replace

import pytest
import torch
from support.body_folders import MODELS, ragged_tokens, read_model, their_states, write_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.bodies.body import TransformersBody
from xalign_fairseq.encoder.bodies.families import takes_positions
from xalign_fairseq.encoder.copies import EncoderCopy
from xalign_fairseq.encoder.hidden_states import open_passes


@pytest.fixture(scope="module", params=list(MODELS))
def folder(request, tmp_path_factory):
    path = tmp_path_factory.mktemp(request.param)
    write_model(path, request.param)
    return path


@pytest.fixture
def encoder(folder):
    return read_model(folder)[0]


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        *((kind, {}) for kind in MODELS),
        ("modernbert", {"local_attention": 1000}),
        ("modernbert", {"layer_types": ["sliding_attention"] * 2 + ["full_attention"] * 2}),
        ("deberta-v2", {"share_att_key": False}),
        ("deberta-v2", {"position_biased_input": True}),
        ("deberta-v2", {"relative_attention": False}),
    ],
)
def test_states_equal_transformers(tmp_path, kind, changes):
    model = write_model(tmp_path, kind, **changes)
    encoder, tokenizer = read_model(tmp_path)
    tokens = ragged_tokens(encoder)
    theirs = their_states(model, tokenizer, tokens)
    assert len(theirs) == encoder.config.encoder_layers + 1
    keep, states = tokens.ne(1), encoder.states(tokens, grad=False)
    for layer, expected in enumerate(theirs):
        torch.testing.assert_close(states.layer(layer)[keep], expected[keep], rtol=1e-4, atol=2e-5)


def test_padding_and_other_inputs_change_nothing(encoder):
    tokens = ragged_tokens(encoder)
    alone = [encoder.states(tokens[row : row + 1, :length]).layer(-1) for row, length in enumerate((19, 5, 12))]
    both = open_passes(encoder.sentence_encoder, [Input(tokens), Input(tokens[1:])])
    for states, first in zip(both, (0, 1), strict=True):
        for row, own in enumerate(alone[first:]):
            torch.testing.assert_close(states.layer(-1)[row, : own.shape[1]], own[0], rtol=1e-4, atol=2e-5)


def test_given_positions_are_used_if_the_family_supports_them(encoder):
    tokens = ragged_tokens(encoder)
    anew = torch.arange(tokens.shape[1]).remainder(4).expand(tokens.shape)
    plain, other = (encoder.states(Input(tokens, positions=places)).layer(-1)[0] for places in (None, anew))
    assert torch.allclose(plain, other, atol=1e-5) != takes_positions(encoder.config)


def test_every_parameter_learns(encoder):
    encoder.states(ragged_tokens(encoder), training=True).layer(-1).square().sum().backward()
    assert not [name for name, each in encoder.sentence_encoder.named_parameters() if each.grad is None]


def test_activations_are_recomputed_in_their_pass_s_mode(encoder):
    tokens = ragged_tokens(encoder)
    for each in encoder.sentence_encoder.modules():
        if isinstance(each, torch.nn.Dropout):
            each.p = 0.3
    found = []
    for recomputed in (False, True):
        encoder.zero_grad()
        for layer in encoder.sentence_encoder.layers:
            layer.checkpoint_activations = recomputed
        torch.manual_seed(1)
        states = encoder.states(tokens, training=True).layer(-1)
        encoder.states(tokens, grad=False).layer(-1)  # as a labelling pass does
        states.square().sum().backward()
        found.append([each.grad for each in encoder.sentence_encoder.parameters() if each.grad is not None])
    assert len(found[0]) == len(found[1]) > 0
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


def test_modes_follow_the_pass(encoder):
    tokens = ragged_tokens(encoder)
    encoder.train()
    evaluated = encoder.states(tokens, grad=False).layer(-1)
    encoder.states(tokens, training=True, grad=False).layer(-1)
    torch.testing.assert_close(encoder.states(tokens, grad=False).layer(-1), evaluated)


def test_position_tables_stay_in_float32(encoder):
    tokens = ragged_tokens(encoder)
    exact = encoder.states(tokens, grad=False).layer(1)
    encoder.to(torch.bfloat16)
    body = encoder.sentence_encoder
    assert {each.dtype for each in body.parameters()} == {torch.bfloat16}
    assert all(each.dtype != torch.bfloat16 for each in body.buffers())
    torch.testing.assert_close(encoder.states(tokens, grad=False).layer(1).float(), exact, rtol=0.1, atol=0.15)


def test_a_momentum_copy_follows(encoder):
    copy = EncoderCopy(encoder.config)
    copy.start(encoder.sentence_encoder, 0)
    tokens = ragged_tokens(encoder)
    torch.testing.assert_close(copy.layer(tokens), encoder.states(tokens, grad=False).layer(-1))


def test_language_embeddings_are_refused(encoder):
    with pytest.raises(XalignError, match=r"language_embeddings[\s\S]*en,de"):
        TransformersBody(replace(encoder.config, language_embeddings="en,de"))
