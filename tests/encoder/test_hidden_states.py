import copy

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.hidden_states import HiddenStates, Pass, open_passes


def test_padding_and_batch_never_change_a_state(encoder, tokens):
    encoder.double()
    together = encoder.states(tokens).layer(-1)
    order = torch.tensor([3, 0, 4, 2, 1])
    shuffled = encoder.states(tokens[order]).layer(-1)
    for row, length in enumerate(tokens.ne(1).sum(1).tolist()):
        alone = encoder.states(tokens[row : row + 1, :length]).layer(-1)[0]
        torch.testing.assert_close(together[row, :length], alone, rtol=1e-12, atol=1e-12)
        torch.testing.assert_close(shuffled[order.tolist().index(row), :length], alone, rtol=1e-12, atol=1e-12)


def states_and_gradients(encoder, inputs, opened):
    """Every layer of every input, and the gradients of all parameters of a loss of all."""
    encoder.zero_grad()
    layers, total = [], 0
    for states, given in zip(opened(encoder.sentence_encoder, inputs), inputs, strict=True):
        keep = given.tokens.ne(1)
        for layer in range(4):
            layers.append(states.layer(layer)[keep])
            total = total + encoder.lm_head(layers[-1]).logsumexp(-1).sum()
    total.backward()
    return [each.detach() for each in layers], {name: p.grad.clone() for name, p in encoder.named_parameters()}


def padded(encoder, inputs):
    return [HiddenStates(Pass(encoder, [given], None, False, True), 0) for given in inputs]


def one_by_one(encoder, inputs):
    return [open_passes(encoder, [given])[0] for given in inputs]


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-10), (torch.float32, 2e-4)])
@pytest.mark.parametrize("how", [one_by_one, open_passes])
def test_packed_and_joint_passes_equal_padded_passes(encoder, tokens, how, dtype, tolerance):
    encoder.to(dtype)
    others = torch.tensor([[0, 2, 1], [0, 9, 2], [7, 1, 1]])
    inputs = [
        Input(tokens),
        Input(others, positions=torch.tensor([[4, 2, 9], [0, 3, 3], [1, 0, 0]])),
        Input(tokens[:1]),
    ]
    expected, truth = states_and_gradients(encoder, inputs, padded)
    found, gradients = states_and_gradients(encoder, inputs, how)
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=tolerance, atol=tolerance)
    for name, gradient in gradients.items():
        torch.testing.assert_close(
            gradient, truth[name], rtol=tolerance, atol=tolerance, msg=lambda text, name=name: f"{name}: {text}"
        )


def test_packed_bfloat16_is_as_accurate_as_padded(encoder, tokens):
    keep = tokens.ne(1)
    truth = copy.deepcopy(encoder).double().states(tokens).layer(-1)[keep]
    encoder.bfloat16()
    mine, theirs = (how(encoder.sentence_encoder, [Input(tokens)])[0].layer(-1)[keep] for how in (one_by_one, padded))
    assert (mine - truth).abs().max() <= 1.5 * (theirs - truth).abs().max() + 0.01


def test_sequences_of_only_padding_affect_no_other_sequence(encoder, tokens):
    encoder.double()
    given = torch.cat([tokens, torch.full_like(tokens[:2], 1)])
    states = encoder.states(given).layer(-1)
    torch.testing.assert_close(states[: len(tokens)][tokens.ne(1)], encoder.states(tokens).layer(-1)[tokens.ne(1)])
    assert not states[given.eq(1)].any()
    nothing = encoder.states(torch.full((2, 3), 1)).layer(-1)
    assert nothing.shape == (2, 3, 24) and not nothing.any()
    nothing.sum().backward()


def test_a_sequence_beyond_the_positions_is_an_error(encoder):
    tokens = torch.full((1, 21), 5)
    with pytest.raises(XalignError, match=r"21 tokens[\s\S]*at most 20"):
        encoder.states(tokens).layer(0)
