import pytest
import torch
from support.gpu_device import NoWaiting

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.copies import EncoderCopy, ReadOnce
from xalign_fairseq.encoder.transformer import Encoder

CONFIG = EncoderConfig(30, 2, 8, 16, 2)
TOKENS = torch.tensor([[0, 5, 6, 2], [0, 7, 2, 1]])


@pytest.fixture
def live():
    torch.manual_seed(1)
    return Encoder(CONFIG)


def move(encoder, by=0.1):
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter += by * torch.randn_like(parameter)


def test_a_number_is_read_once_until_it_is_put_or_loaded(monkeypatch):
    one, other = ReadOnce(), ReadOnce()
    for module in (one, other):
        module.register_buffer("number_", torch.zeros(()))
    assert one.number("number_") == 0.0
    with NoWaiting(monkeypatch):
        assert one.number("number_") == 0.0
        one.put("number_", 3)
        assert one.number("number_") == 3.0
    monkeypatch.undo()
    assert other.number("number_") == 0.0
    other.load_state_dict(one.state_dict())
    assert other.number("number_") == 3.0


def test_a_copy_starts_once_and_gives_the_same_states(live):
    copy = EncoderCopy(CONFIG)
    copy.start(live.sentence_encoder, 7)
    expected = live.states(TOKENS, grad=False).layer(-1)
    assert torch.equal(copy.layer(TOKENS), expected)
    assert torch.equal(copy.layer(TOKENS, 1), live.states(TOKENS, grad=False).layer(1))
    move(live)
    copy.start(live.sentence_encoder, 7)
    assert torch.equal(copy.layer(TOKENS), expected)
    assert not any(parameter.requires_grad for parameter in copy.parameters())
    restored = EncoderCopy(CONFIG)
    restored.load_state_dict(copy.state_dict())
    restored.start(live.sentence_encoder, 7)
    assert torch.equal(restored.layer(TOKENS), expected)
    exact = EncoderCopy(CONFIG).double()
    exact.start(live.double().sentence_encoder, 7)
    assert torch.equal(exact.layer(TOKENS, dtype=torch.float64), live.states(TOKENS, grad=False).layer(-1))


def test_a_new_run_starts_again_with_the_copy_of_an_earlier_one(live):
    copy = EncoderCopy(CONFIG)
    copy.start(live.sentence_encoder, 0)
    move(live)
    copy.start(live.sentence_encoder, 1)
    assert copy.squared_distance(live.sentence_encoder) > 0.1
    copy.start(live.sentence_encoder, 0)
    assert copy.squared_distance(live.sentence_encoder) == 0


def test_the_distance_is_that_of_all_parameters(live):
    copy = EncoderCopy(CONFIG)
    copy.start(live.sentence_encoder, 7)
    assert copy.squared_distance(live.sentence_encoder) == 0
    with torch.no_grad():
        live.sentence_encoder.layers[0].fc1.bias[:2] += torch.tensor([3.0, 4.0])
    distance = copy.squared_distance(live.sentence_encoder)
    assert distance.item() == pytest.approx(25)
    distance.backward()
    assert live.sentence_encoder.layers[0].fc1.bias.grad[:3].tolist() == pytest.approx([6.0, 8.0, 0.0])


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_a_copy_of_a_half_precision_encoder_stays_in_float32_and_moves(live, half):
    copy = EncoderCopy(CONFIG)
    copy.start(live.sentence_encoder, 7)
    exact = {key: value.clone() for key, value in copy.state_dict().items()}
    copy.to(half)
    live.to(half)
    assert all(torch.equal(value, exact[key]) for key, value in copy.state_dict().items())
    move(live, 0.5)
    before = copy.encoder.layers[0].fc1.weight.clone()
    copy.follow(live.sentence_encoder, 0.999)
    moved = (copy.encoder.layers[0].fc1.weight - before).abs()
    assert 0 < moved.max() < 0.01 and (moved > 0).float().mean() > 0.9
    hidden = copy.layer(TOKENS, dtype=half)
    assert hidden.dtype == half and torch.isfinite(hidden[TOKENS != 1]).all()


def test_a_copy_computes_in_the_autocast_around_it(live):
    copy = EncoderCopy(CONFIG)
    copy.start(live.sentence_encoder, 7)
    with torch.autocast("cpu", torch.bfloat16):
        mine, theirs = copy.layer(TOKENS), live.states(TOKENS, grad=False).layer(-1)
    assert torch.equal(mine, theirs) and not torch.equal(mine, copy.layer(TOKENS))
