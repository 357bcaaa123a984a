import copy
import functools

import numpy as np
import pytest
import torch
from support.compiler import fresh

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.data.packing import filled_size, pack
from xalign_fairseq.encoder import graphs
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.hidden_states import HiddenStates, open_passes
from xalign_fairseq.encoder.transformer import Encoder

BATCHES = ([(5, 3), (4, 4)], [(7, 2, 6), (1,)], [(20,), (3,)], [(4, 4, 4, 4, 4, 4, 4, 4), (9,)])


@pytest.fixture
def compiler(monkeypatch):
    """torch's tracer without the slow rest of its compiler; yields the number of graphs so far."""
    monkeypatch.setattr(torch, "compile", lambda f, mode, dynamic: COMPILE(f, backend="eager", dynamic=dynamic))
    yield from fresh(graphs.recorded.cache_clear)


@pytest.fixture
def whole_compiler():
    """All of torch's compiler."""
    yield from fresh(graphs.recorded.cache_clear)


COMPILE = torch.compile


@functools.cache
def weights():
    torch.manual_seed(0)
    return Encoder(EncoderConfig(30, 3, 24, 40, 4, 20)).double()


def encoder(recorded):
    made = copy.deepcopy(weights())
    made.sentence_encoder.graphs = recorded
    return made


def inputs_of(batch):
    generator = torch.Generator().manual_seed(sum(map(sum, batch)))
    rows = [[torch.randint(4, 30, (length,), generator=generator) for length in lengths] for lengths in batch]
    return [Input(torch.nn.utils.rnn.pad_sequence(each, batch_first=True, padding_value=1)) for each in rows]


def everything(made, inputs):
    """Layer 2 and its copy without a gradient, the last layer, predictions, and all gradients of their sum."""
    made.zero_grad()
    first, second = open_passes(made.sentence_encoder, inputs, training=True)
    keep = inputs[0].tokens.ne(1)
    low, apart = first.layer(2)[keep], second.detached(1).layer(3)[inputs[1].tokens.ne(1)]
    at = torch.tensor([0, inputs[0].tokens.shape[1] - 1])[: 1 + bool(keep[0, -1])]
    [predicted] = HiddenStates.at_last([first], [at])
    read = [low, apart, predicted, second.layer(3)[inputs[1].tokens.ne(1)]]
    sum((states * torch.linspace(-1, 1, 24).double()).pow(3).sum() for states in read).backward()
    return [*read, *(p.grad for p in made.sentence_encoder.parameters())]


def assert_equal(batches, tolerance=1e-10):
    plain, recorded = encoder(False), encoder(True)
    for batch in batches:
        inputs = inputs_of(batch)
        for one, other in zip(everything(plain, inputs), everything(recorded, inputs), strict=True):
            torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)


def test_states_and_gradients_equal_eager_layers(compiler):
    assert_equal(BATCHES)
    assert compiler() <= 8  # three ranges of layers, with a gradient and without; none for each batch


@pytest.mark.slow
def test_compiled_code_equals_eager_layers(whole_compiler):
    assert_equal(BATCHES[:2], 1e-8)
    assert whole_compiler() >= 1


def test_filler_rows_are_not_referenced():
    tokens = torch.arange(40, 73)[None]
    for inputs in ([Input(tokens)], [Input(tokens), Input(torch.tensor([[5, 6, 9], [7, 1, 1]]))]):
        packing = pack(inputs)
        filled = packing.filled()
        row, longer = (each.row([given.tokens for given in inputs]) for each in (packing, filled))
        assert torch.equal(longer[: len(row)], row) and len(longer) == filled_size(len(row)) > len(row)
        values = torch.arange(len(longer))[:, None]
        for mine, theirs in zip(filled.places, packing.places, strict=True):
            assert torch.equal(mine.unpack(values), theirs.unpack(values[: len(row)]))
            at = torch.tensor([0])
            assert torch.equal(mine.rows_at(at), theirs.rows_at(at))
        offsets = filled.sentences.offsets
        assert offsets.diff().max() <= filled.sentences.longest == packing.sentences.longest == 33
        assert offsets[-1] == len(longer) == sum(number * length for number, length in filled.sentences.runs)
        assert (offsets.diff() >= 0).all() and len(offsets) & (len(offsets) - 1) == 0


def test_many_batches_share_few_shapes_and_little_is_filled():
    generator, shapes = np.random.default_rng(1), set()
    for _ in range(200):
        length = int(generator.integers(8, 200))
        lengths = generator.integers(max(length - 8, 1), length + 1, 4096 // length)
        [given] = inputs_of([lengths.tolist()])
        packing = pack([given]).filled()
        count = packing.sentences.offsets[-1].item()
        assert lengths.sum() <= count <= lengths.sum() * 17 / 16
        shapes.add((count, len(packing.sentences.offsets), packing.sentences.on_device().longest))
    assert len(shapes) <= 40


def test_gradients_of_an_earlier_micro_batch_are_copied():
    made = encoder(True)
    sum(p.sum() for p in made.parameters()).backward()
    made.lm_head.bias.grad = None
    before = {name: p.grad for name, p in made.named_parameters()}
    graphs.begin(made)
    for name, p in made.named_parameters():
        if before[name] is None:
            assert p.grad is None
        else:
            assert torch.equal(p.grad, before[name]) and p.grad.data_ptr() != before[name].data_ptr()


@pytest.mark.parametrize(
    ("changes", "device", "dtype", "named"),
    [
        ({}, "cpu", torch.bfloat16, "device"),
        ({}, "cuda", torch.float32, "dtype"),
        ({"attention_dropout": 0.1}, "cuda", torch.float16, "attention_dropout"),
        ({"encoder_attention_heads": 6}, "cuda", torch.float16, "encoder_attention_heads"),
    ],
)
def test_options_that_prevent_graphs_are_refused(changes, device, dtype, named):
    config = EncoderConfig(30, 3, 24, 40, **{"encoder_attention_heads": 3} | changes)
    with pytest.raises(XalignError) as refused:
        graphs.require(config, torch.device(device), dtype)
    assert refused.value.parameters == ("cuda_graphs", named)
