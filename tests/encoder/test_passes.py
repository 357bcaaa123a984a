from dataclasses import replace

import pytest
import torch
from support.small import CONFIG, pair, typed

from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.hidden_states import Prediction
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.transformer import Encoder

TOKENS = torch.tensor([[0, 5, 6, 7, 2], [0, 8, 9, 2, 1]])


@pytest.fixture
def encoder():
    torch.manual_seed(0)
    return Encoder(CONFIG).double()


def passes(encoder, training=True):
    return StepEncoder(encoder, torch.nn.ModuleDict(), training, 3)


def count_runs(encoder):
    """A list that grows by a layer's number whenever it runs."""
    ran = []
    for number, layer in enumerate(encoder.sentence_encoder.layers, 1):
        layer.register_forward_hook(lambda *_, n=number: ran.append(n))
    return ran


def test_a_second_request_reuses_the_states_of_the_first(encoder):
    ran, step = count_runs(encoder), passes(encoder)
    step.states(TOKENS).layer(0)
    assert ran == []
    first = step.states(TOKENS).layer(1)
    assert step.states(Input(TOKENS)).layer(1) is first and ran == [1]
    assert step.states(TOKENS).layer(2) is step.states(TOKENS).layer(-1) and ran == [1, 2]


def test_other_tokens_positions_and_labelling_need_separate_passes(encoder):
    ran, step = count_runs(encoder), passes(encoder)
    step.states(TOKENS).layer(1)
    step.states(TOKENS.clone()).layer(1)
    positions = torch.tensor([[0, 1, 2, 1, 2]]).expand(2, 5)
    again = step.states(Input(TOKENS, positions=positions)).layer(1)
    assert step.states(Input(TOKENS, positions=positions)).layer(1) is again
    step.states(TOKENS.clone(), labelling=True).layer(1)
    assert ran == [1, 1, 1, 1]


def test_inputs_with_the_same_last_layer_run_in_one_pass(encoder):
    ran, step = count_runs(encoder), passes(encoder)
    inputs = [Input(TOKENS), Input(torch.tensor([[0, 9, 2]])), Input(TOKENS.clone()), Input(TOKENS.clone())]
    step.expect(zip(inputs, (2, -1, 1, 1), strict=True))
    step.expect([(inputs[3], 2), (inputs[0], 0)])  # of several announcements the highest layer counts
    assert step.states(inputs[1]).layer(1).shape == (1, 3, 8) and ran == [1]
    for each, layer in zip(inputs, (2, 2, 1, 2), strict=True):
        alone = encoder.states(each.tokens.clone()).layer(layer)
        keep = each.tokens.ne(1)
        torch.testing.assert_close(step.states(each).layer(layer)[keep], alone[keep], rtol=1e-12, atol=1e-12)
    assert ran.count(1) == 2 + 4 and ran.count(2) == 1 + 3  # in addition to the four by themselves
    del ran[:]
    step.expect([(Input(TOKENS.clone()), 2)])
    step.states(TOKENS.clone()).layer(2)  # unannounced inputs run alone
    assert ran == [1, 2]


def test_labelling_reuses_the_layers_of_the_pass_with_gradient(encoder):
    expected = encoder.states(TOKENS).layer(2)
    ran, step = count_runs(encoder), passes(encoder)
    step.expect([(Input(TOKENS), 1)])
    labelling = step.states(TOKENS, labelling=True)
    for layer in (1, 2):  # the second without gradient: its activations are not needed
        assert not labelling.layer(layer).requires_grad
    live = step.states(TOKENS)
    assert live.layer(1).requires_grad and live.reached == 1 and ran == [1, 2]
    torch.testing.assert_close(labelling.layer(2), expected, rtol=1e-12, atol=1e-12)
    assert torch.equal(labelling.layer(1), live.layer(1))
    step = passes(encoder)
    step.expect([(Input(TOKENS), 2)])
    with torch.no_grad():
        step.states(TOKENS, labelling=True).layer(2)
    assert step.states(TOKENS).layer(2).requires_grad  # whichever reader is first


def test_with_dropout_labelling_reuses_no_pass_with_gradient():
    encoder = Encoder(type(CONFIG)(60, 2, 8, 16, 2, dropout=0.5)).double()
    for training in (True, False):
        step = passes(encoder, training)
        ran = count_runs(encoder)
        step.states(TOKENS).layer(2)
        step.states(TOKENS, labelling=True).layer(2)
        assert ran == [1, 2] * (1 + training)


def test_freed_tokens_are_not_confused_with_new_ones(encoder):
    step = passes(encoder)
    for number in range(4, 12):  # freed memory would get the same id
        tokens = torch.tensor([[0, number, 2]])
        torch.testing.assert_close(step.states(tokens).layer(0), encoder.states(tokens).layer(0))
        del tokens


def test_labelling_has_neither_gradient_nor_dropout():
    torch.manual_seed(0)
    encoder = Encoder(type(CONFIG)(60, 2, 8, 16, 2, dropout=0.5)).double()
    plain = encoder.states(TOKENS).layer()
    step = passes(encoder)
    labelling, live = step.states(TOKENS, labelling=True).layer(), step.states(TOKENS).layer()
    assert torch.equal(labelling, plain) and not labelling.requires_grad
    assert not torch.equal(live, plain) and live.requires_grad
    assert torch.equal(passes(encoder, training=False).states(TOKENS).layer(), plain)


@pytest.mark.parametrize("reached", [None, 0, 1, 2])
def test_parameters_outside_all_passes_get_zero_gradients(encoder, reached):
    step = passes(encoder)
    total = step.idle().new_zeros(())
    step.states(TOKENS, labelling=True).layer(2)  # a pass without gradient reaches nothing
    if reached is not None:
        total = step.states(TOKENS).layer(reached).square().sum()
    (total + step.idle()).backward()
    parts = encoder.sentence_encoder
    assert all(parameter.grad is not None for parameter in parts.parameters())
    for number, layer in enumerate(parts.layers, 1):
        learns = reached is not None and number <= reached
        assert any(parameter.grad.any() for parameter in layer.parameters()) == learns
    assert bool(parts.embed_tokens.weight.grad.any()) == (reached is not None)
    assert step.idle() == 0


def test_losses_of_the_whole_head_and_of_its_output_layer(encoder):
    step, hidden = passes(encoder), torch.randn(3, CONFIG.encoder_embed_dim, dtype=torch.float64)
    torch.nn.init.normal_(encoder.lm_head.bias)
    labels = torch.tensor([7, 59, 0])
    whole = encoder.lm_head(hidden)
    outputs = hidden @ encoder.sentence_encoder.embed_tokens.weight.T + encoder.lm_head.bias
    for losses, logits in ((step.lm_losses, whole), (step.vocabulary_losses, outputs)):
        found = losses(hidden, labels)
        torch.testing.assert_close(found.nll, -logits.log_softmax(1)[range(3), labels])
        assert torch.equal(found.correct, logits.argmax(1) == labels)


def predictions():
    """Two inputs: one unchanged, one with the same tokens twice and an empty row."""
    other = torch.tensor([[0, 10, 2]])
    return [
        Prediction(Input(TOKENS), torch.tensor([1, 6]), torch.tensor([5, 9])),
        Prediction(Input(other), torch.tensor([1, 1, 0]), torch.tensor([11, 12, 13])),
        Prediction(Input(other), torch.zeros(0, dtype=torch.int64), torch.zeros(0, dtype=torch.int64)),
    ]


def test_the_head_runs_once_for_all_predictions_that_are_expected(encoder):
    given, step, ran = predictions(), passes(encoder), []
    encoder.lm_head.dense.register_forward_hook(lambda *each: ran.append(len(each[2])))
    alone = [passes(encoder).losses(each) for each in given]
    assert ran == [2, 3, 0]
    step.expect_predictions(given)
    step.expect_predictions(given[:1])  # repeating it adds no pass
    for prediction, losses in zip(given, alone, strict=True):
        assert step.losses(prediction) is step.losses(prediction)
        torch.testing.assert_close(step.losses(prediction), losses)
    assert ran == [2, 3, 0, 5]
    step.losses(replace(given[0]))  # an unannounced input runs alone
    assert ran[4:] == [2]


@pytest.mark.parametrize("encoding", ["joint", "separate"])
def test_states_of_a_pair_are_at_the_spans(encoder, encoding):
    sides = [([5, 6, 7], [8, 9]), ([10], [11, 12, 13, 14]), ([15, 16], [])]
    bitext = typed([pair(*each) for each in sides]).bitext
    hidden, spans = passes(encoder).pair_states(bitext, 1, encoding)
    for row, (src, tgt) in enumerate(sides):
        alone = [encoder.states(torch.tensor([[0, *side, 2]])).layer(1)[0, 1:-1] for side in (src, tgt)]
        if encoding == "joint":
            both = encoder.states(torch.tensor([[0, *src, 2, *tgt, 2]])).layer(1)[0, 1:-1]
            alone = [both[: len(src)], both[len(src) + 1 :]]
        for expected, (start, end) in zip(alone, spans[row].view(2, 2).tolist(), strict=True):
            torch.testing.assert_close(hidden[row, start:end], expected)


def test_states_of_a_pair_share_the_passes_over_its_sides(encoder):
    bitext, ran, step = typed([pair(3, 2)]).bitext, count_runs(encoder), passes(encoder)
    step.states(bitext.side_input(0)).layer(1)
    hidden, _ = step.pair_states(bitext, 1, "separate")
    assert ran == [1, 1] and hidden.requires_grad
    assert not step.pair_states(bitext, 1, "separate", labelling=True)[0].requires_grad
    del ran[:]
    passes(encoder).pair_states(bitext, 2, "separate", labelling=True)
    assert ran == [1, 2]  # both sides are labelled in one pass


def over_two_inputs():
    """Two inputs, one of them with padding, and the first one again."""
    inputs = Input(TOKENS), Input(torch.tensor([[0, 9, 4, 2]]))
    targets = torch.arange(10).view(2, 5), torch.arange(4)[None]
    at = ((0, [8, 1, 3]), (1, [2]), (0, [6, 1]))
    return [Prediction.of(inputs[i], targets[i], torch.tensor(positions)) for i, positions in at]


def at_once(encoder, predictions):
    """What :meth:`StepEncoder.predicted_states` gives, from whole layers of each input alone."""
    whole = [encoder.states(each.input).layer(-1).flatten(0, 1) for each in predictions]
    return [states[each.positions] for states, each in zip(whole, predictions, strict=True)]


@pytest.mark.parametrize("checkpointed", [False, True])
@pytest.mark.parametrize(("whole", "rows"), [([], 6), ([1], 4 + 5), ([0], 9 + 1), ([0, 1], 13)])
def test_the_last_layer_runs_once_for_predictions_and_for_other_readers(encoder, whole, rows, checkpointed):
    predictions = over_two_inputs()
    wanted = at_once(encoder, predictions)
    read = [encoder.states(predictions[number].input).layer(-1) for number in whole]
    sum(each.square().sum() for each in [*wanted, *read]).backward()
    gradients = [p.grad.clone() for p in encoder.sentence_encoder.parameters()]
    encoder.zero_grad(set_to_none=True)
    for layer in encoder.sentence_encoder.layers:
        layer.checkpoint_activations = checkpointed
    ran, ran_rows = count_runs(encoder), []
    encoder.sentence_encoder.layers[-1].fc1.register_forward_hook(lambda _, given, __: ran_rows.append(len(given[0])))
    step, asked = passes(encoder), over_two_inputs()
    step.expect([(asked[number].input, -1) for number in whole])
    step.expect_predictions(asked)
    found = step.predicted_states(asked)
    keep = [asked[number].input.tokens.ne(1)[..., None] for number in whole]
    states = [step.states(asked[number].input).layer(-1) * real for number, real in zip(whole, keep, strict=True)]
    assert ran == [1, 2] and ran_rows == [rows] and step.states(asked[0].input).reached == 2
    expected = [*wanted, *(each * real for each, real in zip(read, keep, strict=True))]
    for ours, theirs in zip([*found, *states], expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    sum(each.square().sum() for each in [*found, *states]).backward()
    for p, gradient in zip(encoder.sentence_encoder.parameters(), gradients, strict=True):
        torch.testing.assert_close(p.grad, gradient, rtol=1e-10, atol=1e-12)
