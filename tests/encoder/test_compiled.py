import copy
import functools
import shutil

import pytest
import torch
from support.compiler import fresh

from xalign_fairseq.encoder import transformer
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder

LENGTHS = ((5, 3), (7, 2, 6), (9,), (4, 4, 4, 4))


@pytest.fixture
def eager(monkeypatch):
    """torch's tracer without the slow rest of its compiler."""
    monkeypatch.setattr(torch, "compile", functools.partial(torch.compile, backend="eager"))
    yield from fresh(transformer.compiled_rest.cache_clear)


@pytest.fixture
def whole():
    """All of torch's compiler."""
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    yield from fresh(transformer.compiled_rest.cache_clear)


def encoder(compiled, dtype=torch.float32, **rates):
    torch.manual_seed(0)
    made = Encoder(EncoderConfig(30, 2, 24, 40, 4, 20, **rates)).to(dtype)
    for layer in made.sentence_encoder.layers:
        layer.compiled = compiled
    return made


def ragged(lengths):
    generator = torch.Generator().manual_seed(sum(lengths))
    rows = [torch.randint(4, 30, (length,), generator=generator) for length in lengths]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=1)


def states_and_gradients(made, lengths):
    made.zero_grad()
    states = made.states(ragged(lengths), training=True).layer()
    (states * torch.linspace(-1, 1, states.shape[-1])).pow(3).sum().backward()
    return [states, *(p.grad for p in made.parameters() if p.grad is not None)]


def assert_equal(plain, compiled, tolerance):
    for lengths in LENGTHS:
        for one, other in zip(*(states_and_gradients(made, lengths) for made in (plain, compiled)), strict=True):
            torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("recompute", [False, True])
def test_ragged_batches_need_one_compilation(eager, recompute):
    made = encoder(True)
    for layer in made.sentence_encoder.layers:
        layer.checkpoint_activations = recompute
    assert_equal(encoder(False), made, 1e-4)
    with_gradient = eager()
    assert 1 <= with_gradient <= 2
    for lengths in LENGTHS:
        made.states(ragged(lengths), grad=False).layer(2)
    assert with_gradient < eager() <= 4


def test_frozen_layers_and_dropout_stay_within_torchs_limit(eager):
    made = encoder(True, dropout=0.1, activation_dropout=0.1)
    made.sentence_encoder.embed_tokens.requires_grad_(False)
    made.sentence_encoder.layers[0].requires_grad_(False)
    for lengths in LENGTHS:
        states_and_gradients(made, lengths)
        made.states(ragged(lengths), grad=False).layer(2)
    assert eager() <= torch._dynamo.config.recompile_limit
    assert not torch._dynamo.utils.counters["unimplemented"]


def test_names_and_copies_equal_the_plain_encoder(eager):
    plain, made = encoder(False), encoder(True)
    assert plain.state_dict().keys() == made.state_dict().keys()
    tokens = ragged((5, 3))
    before = made.states(tokens, grad=False).layer()
    other = copy.deepcopy(made)
    with torch.no_grad():
        other.sentence_encoder.layers[0].fc1.weight.zero_()
    assert not torch.equal(other.states(tokens, grad=False).layer(), before)
    assert torch.equal(made.states(tokens, grad=False).layer(), before)


@pytest.mark.slow
def test_compiled_code_in_bfloat16_is_as_near_to_float32_as_eager(whole):
    plain, compiled = encoder(False, torch.bfloat16), encoder(True, torch.bfloat16)
    truth = copy.deepcopy(plain).float()
    for lengths in LENGTHS:
        exact, eager, made = (
            torch.cat([each.float().flatten() for each in states_and_gradients(one, lengths)])
            for one in (truth, plain, compiled)
        )
        assert (made - exact).norm() <= 1.2 * (eager - exact).norm() + 1e-3 * exact.norm()
    assert whole() >= 1
